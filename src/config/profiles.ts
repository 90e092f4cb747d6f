import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfigurationError } from '../base/index.ts';
import { changeFile, nearestNames, writeFileAtomic } from '../util/index.ts';
import { type EnvironmentVariables, resolveHome } from './paths.ts';

/** The name of the home directory that contains the other profiles. */
export const DEFAULT_PROFILE = 'default';
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The selected home directory and what selected it. */
export type ProfileChoice = { name: string; home: string; chosenBy: 'option' | 'variable' | 'saved' | 'nobody' };

/** The folder that contains all profiles: the default home directory, or the one that HERMES_HOME names. */
export function profileRoot(env: EnvironmentVariables): string {
  const home = resolveHome(env);
  return basename(dirname(home)) === 'profiles' ? dirname(dirname(home)) : home;
}

/** Precedence: the command-line option, HERMES_PROFILE, HERMES_HOME, then the profile saved by `hermes profile use`. */
export function chooseProfile(env: EnvironmentVariables, asked?: string): ProfileChoice {
  const root = profileRoot(env);
  const named = env['HERMES_PROFILE']?.trim() || undefined;
  if (asked !== undefined || named !== undefined) {
    const name = asked ?? named ?? DEFAULT_PROFILE;
    return { name, home: requireProfile(root, name), chosenBy: asked === undefined ? 'variable' : 'option' };
  }
  const home = resolveHome(env);
  if (env['HERMES_HOME']?.trim())
    return { name: home === root ? DEFAULT_PROFILE : basename(home), home, chosenBy: 'nobody' };
  const saved = savedProfile(root);
  if (saved === undefined) return { name: DEFAULT_PROFILE, home: root, chosenBy: 'nobody' };
  return { name: saved, home: requireProfile(root, saved), chosenBy: 'saved' };
}

/** The folder of a profile, whether or not it exists. */
export function profileHome(root: string, name: string): string {
  if (name === DEFAULT_PROFILE) return root;
  if (NAME.test(name)) return join(root, 'profiles', name);
  throw new ConfigurationError(`"${name}" is not a valid profile name.`, {
    hint: 'Use at most 64 lower-case letters, digits, - and _.',
  });
}

/** The name of the profile with this home directory. */
export function profileName(root: string, home: string): string {
  return home === root ? DEFAULT_PROFILE : basename(home);
}

export async function listProfiles(root: string): Promise<string[]> {
  const entries = await readdir(join(root, 'profiles'), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && NAME.test(entry.name)).map(({ name }) => name);
  return [DEFAULT_PROFILE, ...names.filter((name) => name !== DEFAULT_PROFILE).toSorted()];
}

/** The profile saved by `hermes profile use`; undefined for the default one. */
export function savedProfile(root: string): string | undefined {
  try {
    const name = readFileSync(activeFile(root), 'utf8').trim();
    return name === '' || name === DEFAULT_PROFILE ? undefined : name;
  } catch {
    // No file, as in most homes.
    return undefined;
  }
}

export async function saveProfile(root: string, name: string): Promise<void> {
  await changeFile(activeFile(root), () => writeFileAtomic(activeFile(root), `${name}\n`));
}

/** Makes the default profile the saved one if `name` is saved. Returns whether it was. */
export async function forgetSavedProfile(root: string, name: string): Promise<boolean> {
  return changeFile(activeFile(root), async () => {
    if (savedProfile(root) !== name) return false;
    await writeFileAtomic(activeFile(root), `${DEFAULT_PROFILE}\n`);
    return true;
  });
}

export function requireProfile(root: string, name: string): string {
  const home = profileHome(root, name);
  if (name === DEFAULT_PROFILE || existsSync(home)) return home;
  const [near] = nearestNames(name, namesIn(root), 1);
  throw new ConfigurationError(`There is no profile "${name}" in ${join(root, 'profiles')}.`, {
    hint:
      near === undefined
        ? `\`hermes -p default profile list\` shows all profiles. To create this one, run \`hermes -p default profile create ${name}\`.`
        : `Did you mean ${near}? \`hermes -p default profile list\` shows all profiles.`,
  });
}

function namesIn(root: string): string[] {
  const folder = join(root, 'profiles');
  return [DEFAULT_PROFILE, ...(existsSync(folder) ? readdirSync(folder) : [])];
}

function activeFile(root: string): string {
  return join(root, 'active_profile');
}
