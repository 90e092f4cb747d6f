import { join } from 'node:path';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder, withFileLock } from '../../util/index.ts';

/** One change of the user's skills at a time, over all processes. */
export async function whileChanging<Value>(home: string, change: () => Promise<Value>): Promise<Value> {
  const { skillsFolder } = homePaths(home);
  await ensurePrivateFolder(skillsFolder);
  return withFileLock(join(skillsFolder, '.changing'), change);
}
