import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { credentialLocations } from '../approvals/index.ts';
import { type EnvironmentVariables, profileRoot } from '../config/index.ts';

/** What a sandbox hides: the credentials of the user, and all home directories of Hermes with their profiles. */
export function hiddenPaths(home: string, env: EnvironmentVariables = process.env): string[] {
  const userHomes = [...new Set([env['HOME'], homedir(), accountHome()].filter((path) => path?.startsWith('/')))];
  const homes = userHomes.flatMap((path) => path ?? []);
  const own = [profileRoot({ HERMES_HOME: home }), profileRoot(env), ...homes.map((path) => join(path, '.hermes'))];
  return [...new Set([...own, ...credentialLocations(homes, env)])];
}

/** `HOME` may name another folder than the one of the account. */
function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}
