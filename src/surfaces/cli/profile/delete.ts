import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import {
  DEFAULT_PROFILE,
  homePaths,
  profileRoot,
  requireProfile,
  savedProfile,
  saveProfile,
} from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { showable } from '../style.ts';

export type DeleteOptions = { yes?: boolean };

/** Nothing is gone at once: a whole home is too much to lose by one word. */
export async function deleteProfile(name: string, { yes }: DeleteOptions, io: CliIo): Promise<number> {
  const root = profileRoot(io.env);
  if (name === DEFAULT_PROFILE) {
    throw new ConfigurationError('The default profile cannot be deleted: all others lie in it.', {
      hint: `Delete the folder ${root} yourself if that is what you want.`,
    });
  }
  const home = requireProfile(root, name);
  const question = `Delete the profile ${name} with its keys, sessions and memory (${home})?`;
  if (!(await confirm(question, yes, io, 'This takes a whole home away'))) return 1;
  const trash = homePaths(root).trashFolder;
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const kept = join(trash, `profile-${name}-${Date.now()}`);
  await rename(home, kept);
  const wasSaved = savedProfile(root) === name;
  if (wasSaved) await saveProfile(root, DEFAULT_PROFILE);
  const next = wasSaved ? ' From now on the default one is used.' : '';
  io.stdout.write(showable(`Deleted the profile ${name}; it is in ${kept} until you remove it.${next}\n`));
  return 0;
}
