import { startTimer } from '../../base/index.ts';
import type { ApiServerSettings } from '../../config/gateway/index.ts';
import { type EnvironmentVariables, profileName } from '../../config/index.ts';
import type { Messaging } from '../../contracts/index.ts';
import { startHttpServer } from '../../http/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { type ApiContext, type ApiRoute, toRoutes, withPrefix } from './api-context.ts';
import { chatRoutes } from './chat/chat-routes.ts';
import { healthRoutes, openHealthRoutes } from './health-routes.ts';
import { type ApiKeys, openKeys } from './keys/open-keys.ts';
import { createApiModels } from './models/api-models.ts';
import { modelRoutes } from './models/model-routes.ts';
import { jobRoutes } from './jobs/job-routes.ts';
import {
  createProfileRoutes,
  type OpenedProfile,
  type ProfileOptions,
  type ServedProfile,
} from './profiles/profile-routes.ts';
import { runRoutes } from './runs/run-routes.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { openResponses } from './responses/open-responses.ts';
import { createEventStreams } from './streams/event-streams.ts';
import { toolRoutes } from './tools/tool-routes.ts';
import { createTurnHost } from './turns/turn-host.ts';
import { unsupportedRoutes } from './unsupported-routes.ts';

export type ApiServerOptions = {
  runtime: Runtime;
  settings: ApiServerSettings;
  env: EnvironmentVariables;
  version: string;
  /** Resolves when the gateway of this process can deliver messages. */
  messaging?: (() => Promise<Messaging>) | undefined;
  /** Serves the other profiles, too. */
  profiles?: ProfileOptions | undefined;
};

export interface ApiServer {
  readonly host: string;
  readonly port: number;
  /** The file with the key that this start has created. */
  readonly createdKeyFile: string | undefined;
  /** The file with the key that an earlier start has created. */
  readonly keyFile: string | undefined;
  /** Accepts no more requests, lets running turns end for this time, and then interrupts them. */
  close(graceMs: number): Promise<void>;
}

/** How long ended runs and their events are kept. */
const KEPT_MS = 24 * 3_600_000;
const PRUNE_MS = 3_600_000;

/** Starts the API server on the services of a runtime, which must outlive it. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { runtime, settings, env, version, profiles } = options;
  const { clock, logger } = runtime;
  const { home } = runtime.blueprint.settings;
  const keys = await openKeys(home, settings, logger);
  const own = await openEndpoints({ ...options, keys });
  const { host } = settings;
  const openProfile = async (profile: ServedProfile): Promise<OpenedProfile> => {
    const opened = await openEndpoints({ ...profile, version, messaging: undefined });
    const close = async (graceMs: number) => {
      await opened.close(graceMs);
      await profile.runtime.close();
    };
    return { routes: opened.routes, close };
  };
  const others =
    profiles &&
    (await createProfileRoutes({ profiles, ownHome: home, host, env, logger, open: openProfile }, own.routes));
  const alias = profiles && `/p/${profileName(profiles.root, home)}`;
  const server = await startHttpServer({
    host,
    port: settings.port,
    hosts: settings.hosts,
    origins: settings.corsOrigins,
    routes: [
      ...openHealthRoutes(),
      ...toRoutes({ keys }, own.routes),
      ...(alias === undefined ? [] : toRoutes({ keys }, withPrefix(alias, own.routes))),
      ...(others?.routes ?? []),
    ],
    logger,
    clock,
  });
  return {
    host: server.host,
    port: server.port,
    createdKeyFile: keys.isFirstNew ? keys.firstFile : undefined,
    keyFile: keys.firstFile,
    async close(graceMs) {
      const elapsed = startTimer(clock);
      await server.close(graceMs);
      const left = Math.max(0, graceMs - elapsed());
      await Promise.all([own.close(left), others?.close(left)]);
    },
  };
}

type EndpointParts = Omit<ApiServerOptions, 'profiles'> & { keys: ApiKeys };
type Endpoints = { routes: readonly ApiRoute[]; close(graceMs: number): Promise<void> };

/** Opens everything that serves the requests to one profile. */
async function openEndpoints(parts: EndpointParts): Promise<Endpoints> {
  const { runtime, settings, env } = parts;
  const { clock, logger } = runtime;
  const store = await runtime.store.openApiStore();
  const context: ApiContext = {
    ...parts,
    messaging: parts.messaging,
    store,
    models: createApiModels(runtime, settings, env),
    turns: createTurnHost(runtime, store, settings),
    streams: createEventStreams({ store, clock, logger }),
  };
  const responses = await openResponses(context);
  const prune = () =>
    void Promise.all([store.pruneApi(clock.now() - KEPT_MS), responses.prune()]).catch((thrown: unknown) => {
      logger.error('could not delete old runs and responses', {}, thrown);
    });
  prune();
  const pruning = setInterval(prune, PRUNE_MS).unref();
  return {
    routes: [
      ...healthRoutes(context),
      ...modelRoutes(context),
      ...chatRoutes(context),
      ...runRoutes(context),
      ...sessionRoutes(context),
      ...jobRoutes(context),
      ...toolRoutes(context),
      ...unsupportedRoutes(),
      ...responses.routes,
    ],
    async close(graceMs) {
      clearInterval(pruning);
      await context.turns.close(graceMs);
      await responses.close();
    },
  };
}
