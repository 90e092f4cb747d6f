import { profileRoot, requireProfile, saveProfile } from '../../../config/index.ts';
import { ensurePrivateFolder } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';

export async function useProfile(name: string, io: CliIo): Promise<number> {
  const root = profileRoot(io.env);
  const home = requireProfile(root, name);
  await ensurePrivateFolder(root);
  await saveProfile(root, name);
  io.stdout.write(showable(`From now on the profile is ${name} (${home}).\n`));
  // Both are set by ourselves where a profile was chosen in another way.
  const isNamed = io.env['HERMES_HOME']?.trim() && !io.env['HERMES_PROFILE'];
  if (isNamed) io.stderr.write('It does not count as long as HERMES_HOME is set, which goes before it.\n');
  return 0;
}
