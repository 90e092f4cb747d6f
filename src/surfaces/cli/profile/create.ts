import { constants, existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { profileHome, profileRoot, resolveHome } from '../../../config/index.ts';
import { ensurePrivateFolder } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';

export type CreateOptions = { clone?: boolean };

/** What makes a home one's own, without what was said and remembered in it. */
const CLONED = ['config.yaml', '.env', 'auth.json', 'SOUL.md'];

export async function createProfile(name: string, { clone }: CreateOptions, io: CliIo): Promise<number> {
  const home = profileHome(profileRoot(io.env), name);
  if (existsSync(home)) {
    throw new ConfigurationError(`There is a profile "${name}" already: ${home}.`, {
      hint: `Use it with: hermes -p ${name}`,
    });
  }
  await ensurePrivateFolder(home);
  const copied = clone ? await copyFiles(resolveHome(io.env), home) : [];
  io.stdout.write(showable(`Made the profile ${name} in ${home}.\n`));
  if (copied.length > 0) io.stdout.write(`It begins with ${copied.join(', ')} of the one in use.\n`);
  io.stdout.write(`Use it with \`hermes -p ${name}\`, or from now on with \`hermes profile use ${name}\`.\n`);
  return 0;
}

async function copyFiles(from: string, to: string): Promise<string[]> {
  const present = CLONED.filter((file) => existsSync(join(from, file)));
  for (const file of present) await copyFile(join(from, file), join(to, file), constants.COPYFILE_EXCL);
  return present;
}
