import { constants, existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import {
  DEFAULT_PROFILE,
  forgetSavedProfile,
  homePaths,
  listProfiles,
  loadSettings,
  profileHome,
  profileRoot,
  requireProfile,
  resolveHome,
  saveProfile,
} from '../../../config/index.ts';
import { ensurePrivateFolder } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';

export async function listAllProfiles({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const names = await listProfiles(profileRoot(io.env));
  const profiles = await Promise.all(names.map((name) => gatherFacts(name, io)));
  if (json) {
    writeJson(io.stdout, { profiles });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const width = Math.max(...names.map((name) => name.length));
  for (const { name, inUse, model, home } of profiles) {
    const symbol = inUse ? style.green('*') : ' ';
    const about = [model ?? 'no model', style.dim(home)].map(printable).join('  ');
    io.stdout.write(`${symbol} ${name.padEnd(width)}  ${about}\n`);
  }
  return 0;
}

export async function showProfile(given: string | undefined, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const root = profileRoot(io.env);
  const home = resolveHome(io.env);
  const name = given ?? (home === root ? DEFAULT_PROFILE : basename(home));
  requireProfile(root, name);
  const facts = await gatherFacts(name, io);
  if (json) {
    writeJson(io.stdout, facts);
    return 0;
  }
  const rows = [
    ['profile', `${name}${facts.inUse ? ' (current)' : ''}`],
    ['home', facts.home],
    ['model', facts.model ?? `none; run: hermes -p ${name} setup`],
    ['sessions', facts.storeBytes === 0 ? 'none' : formatBytes(facts.storeBytes)],
  ] as const;
  io.stdout.write(printable(rows.map(([label, value]) => `${label.padEnd(8)}  ${value}\n`).join('')));
  return 0;
}

export type CreateOptions = { clone?: boolean };

/** The files that are copied when a profile is cloned: configuration and credentials, but no sessions and no memory. */
const CLONED_FILES = ['config.yaml', '.env', 'auth.json', 'SOUL.md'];

export async function createProfile(name: string, { clone }: CreateOptions, io: CliIo): Promise<number> {
  const home = profileHome(profileRoot(io.env), name);
  await ensurePrivateFolder(dirname(home));
  await makeProfileFolder(home, name);
  const copied = clone ? await copyFiles(resolveHome(io.env), home) : [];
  io.stdout.write(printable(`Created the profile ${name} in ${home}.\n`));
  if (copied.length > 0) io.stdout.write(`Copied ${copied.join(', ')} from the current profile.\n`);
  io.stdout.write(`Use it with \`hermes -p ${name}\`, or by default with \`hermes profile use ${name}\`.\n`);
  return 0;
}

/** Creating the folder decides which of several processes creates the profile. */
async function makeProfileFolder(home: string, name: string): Promise<void> {
  try {
    await mkdir(home, { mode: 0o700 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    throw new ConfigurationError(`The profile "${name}" already exists: ${home}.`, {
      hint: `Use it with: hermes -p ${name}`,
    });
  }
}

async function copyFiles(from: string, to: string): Promise<string[]> {
  const present = CLONED_FILES.filter((file) => existsSync(join(from, file)));
  for (const file of present) await copyFile(join(from, file), join(to, file), constants.COPYFILE_EXCL);
  return present;
}

export async function useProfile(name: string, io: CliIo): Promise<number> {
  const root = profileRoot(io.env);
  const home = requireProfile(root, name);
  await ensurePrivateFolder(root);
  await saveProfile(root, name);
  io.stdout.write(printable(`The default profile is now ${name} (${home}).\n`));
  // If the profile was selected in another way, Hermes itself has set both variables.
  const isNamed = io.env['HERMES_HOME']?.trim() && !io.env['HERMES_PROFILE'];
  if (isNamed) io.stderr.write('It has no effect while HERMES_HOME is set, which takes precedence.\n');
  return 0;
}

export type DeleteOptions = { yes?: boolean };

/** Moves the profile to the trash, because a whole home directory is too much to lose by mistake. */
export async function deleteProfile(name: string, { yes }: DeleteOptions, io: CliIo): Promise<number> {
  const root = profileRoot(io.env);
  if (name === DEFAULT_PROFILE) {
    throw new ConfigurationError('The default profile cannot be deleted, because it contains all others.', {
      hint: `If you are sure, delete the folder ${root} yourself.`,
    });
  }
  const home = requireProfile(root, name);
  const { assertIdle, whileIdle } = await import('../../../runtime/idle-stores.ts');
  await assertIdle([home]);
  const question = `Delete the profile ${name} with its credentials, sessions and memory (${home})?`;
  if (!(await confirm(question, yes, io, 'This removes a whole home directory'))) return 1;
  const trash = homePaths(root).trashFolder;
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const kept = join(trash, `profile-${name}-${Date.now()}`);
  await whileIdle([home], () => rename(home, kept));
  const wasSaved = await forgetSavedProfile(root, name);
  const next = wasSaved ? ' The default profile is now "default".' : '';
  io.stdout.write(printable(`Deleted the profile ${name}; it was moved to ${kept}.${next}\n`));
  return 0;
}

type ProfileFacts = {
  name: string;
  home: string;
  /** Whether this command runs in the profile. */
  inUse: boolean;
  model: string | undefined;
  storeBytes: number;
};

/** What is known about a profile without opening its store. */
async function gatherFacts(name: string, io: CliIo): Promise<ProfileFacts> {
  const home = profileHome(profileRoot(io.env), name);
  const model = await modelOf(home, io);
  const sizes = ['state.db', 'hermes.db'].map(
    (file) => statSync(join(home, file), { throwIfNoEntry: false })?.size ?? 0,
  );
  return { name, home, inUse: resolveHome(io.env) === home, model, storeBytes: Math.max(...sizes) };
}

async function modelOf(home: string, io: CliIo): Promise<string | undefined> {
  if (!existsSync(join(home, 'config.yaml'))) return undefined;
  try {
    const { model } = await loadSettings({ home, env: io.env });
    return [model.provider, model.model].filter((part) => part !== undefined).join('/') || undefined;
  } catch {
    // Problems are reported when the profile is used.
    return 'invalid config.yaml';
  }
}
