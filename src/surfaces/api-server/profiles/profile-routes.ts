import { existsSync } from 'node:fs';
import { errorMessage } from '../../../base/index.ts';
import { type ApiServerSettings, loadGatewaySettings } from '../../../config/gateway/index.ts';
import { type EnvironmentVariables, listProfiles, profileHome } from '../../../config/index.ts';
import type { Logger } from '../../../contracts/index.ts';
import type { Route } from '../../../http/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import { type ApiRoute, toRoutes, withPrefix } from '../api-context.ts';
import { keyFile } from '../keys/key-file.ts';
import { type ApiKeys, firstKeyFile, openKeys } from '../keys/open-keys.ts';

/** The other profiles that a server offers under `/p/PROFILE`. */
export type ProfileOptions = {
  /** The folder that contains the profiles. */
  root: string;
  /** Opens the services of a profile with its own configuration. */
  openRuntime(home: string, env: EnvironmentVariables): Promise<Runtime>;
};

/** What runs a profile once it is used. */
export type OpenedProfile = { routes: readonly ApiRoute[]; close(graceMs: number): Promise<void> };

export type ServedProfile = { name: string; runtime: Runtime; env: EnvironmentVariables; keys: ApiKeys } & {
  settings: ApiServerSettings;
};

type ProfileParts = {
  profiles: ProfileOptions;
  /** The home of the server itself, which is a profile, too. */
  ownHome: string;
  /** Where the server listens, which decides how strong the keys have to be. */
  host: string;
  env: EnvironmentVariables;
  logger: Logger;
  open(profile: ServedProfile): Promise<OpenedProfile>;
};

/** The routes of all other profiles. Nothing of a profile is opened before its first request. */
export interface ProfileRoutes {
  readonly routes: readonly Route[];
  close(graceMs: number): Promise<void>;
}

/** `shapes`: the routes that each profile has, in the order in which `open` returns them. */
export async function createProfileRoutes(parts: ProfileParts, shapes: readonly ApiRoute[]): Promise<ProfileRoutes> {
  const opened: Promise<OpenedProfile>[] = [];
  const names = await listProfiles(parts.profiles.root);
  const found = await Promise.all(names.map((name) => openProfile(parts, name)));
  const routes = found.flatMap((profile) => {
    if (profile === undefined) return [];
    let work: Promise<OpenedProfile> | undefined;
    const use = () => {
      if (work !== undefined) return work;
      const opening = profile.open();
      work = opening;
      opened.push(opening);
      // After a failure, the next request reads the configuration again.
      opening.catch(() => (work = undefined));
      return opening;
    };
    const handlers = shapes.map((shape, index): ApiRoute => {
      const handle: ApiRoute['handle'] = async (request) => ((await use()).routes[index] as ApiRoute).handle(request);
      return { ...shape, handle };
    });
    return toRoutes(profile, withPrefix(`/p/${profile.name}`, handlers));
  });
  return {
    routes,
    async close(graceMs) {
      // A profile that could not be opened has nothing to close.
      const all = await Promise.all(opened.map((opening) => opening.catch(() => undefined)));
      await Promise.all(all.map(async (profile) => profile?.close(graceMs)));
    },
  };
}

type FoundProfile = { name: string; keys: ApiKeys; open(): Promise<OpenedProfile> };

/** Undefined for the server's own profile, and for one without a key, which no client could use. */
async function openProfile(parts: ProfileParts, name: string): Promise<FoundProfile | undefined> {
  const { profiles, ownHome, host, logger } = parts;
  const home = profileHome(profiles.root, name);
  if (home === ownHome) return undefined;
  const env = envOf(parts.env, home);
  try {
    const { apiServer } = await loadGatewaySettings({ home, env });
    const settings = { ...apiServer, host };
    const hasKey = settings.key !== undefined || [keyFile(home), firstKeyFile(home)].some((file) => existsSync(file));
    if (!hasKey) return undefined;
    const keys = await openKeys(home, settings, logger);
    const open = async () => parts.open({ name, settings, env, keys, runtime: await profiles.openRuntime(home, env) });
    return { name, keys, open };
  } catch (thrown) {
    logger.warn('the API does not serve a profile', { profile: name, reason: errorMessage(thrown) });
    return undefined;
  }
}

/** The settings of the API in the environment are those of the server, and above all its key. */
function envOf(env: EnvironmentVariables, home: string): EnvironmentVariables {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('API_SERVER_'));
  return { ...Object.fromEntries(others), HERMES_HOME: home };
}
