import { startTimer } from '../../base/index.ts';
import type { ApiServerSettings } from '../../config/gateway/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import type { Messaging } from '../../contracts/index.ts';
import { startHttpServer } from '../../http/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { type ApiContext, toRoutes } from './api-context.ts';
import { chatRoutes } from './chat/chat-routes.ts';
import { healthRoutes, openHealthRoutes } from './health-routes.ts';
import { openKeys } from './keys/open-keys.ts';
import { createApiModels } from './models/api-models.ts';
import { modelRoutes } from './models/model-routes.ts';
import { jobRoutes } from './jobs/job-routes.ts';
import { runRoutes } from './runs/run-routes.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { createEventStreams } from './streams/event-streams.ts';
import { createTurnHost } from './turns/turn-host.ts';

export type ApiServerOptions = {
  runtime: Runtime;
  settings: ApiServerSettings;
  env: EnvironmentVariables;
  version: string;
  /** Resolves when the gateway of this process can deliver messages. */
  messaging?: (() => Promise<Messaging>) | undefined;
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
  const { runtime, settings, env, version, messaging } = options;
  const { clock, logger } = runtime;
  const keys = await openKeys(runtime.blueprint.settings.home, settings, logger);
  const store = await runtime.store.openApiStore();
  const context: ApiContext = {
    runtime,
    settings,
    version,
    env,
    messaging,
    keys,
    store,
    models: createApiModels(runtime, settings, env),
    turns: createTurnHost(runtime, store, settings),
    streams: createEventStreams({ store, clock, logger }),
  };
  const prune = () =>
    void store.pruneApi(clock.now() - KEPT_MS).catch((thrown: unknown) => {
      logger.error('could not delete old runs', {}, thrown);
    });
  prune();
  const server = await startHttpServer({
    host: settings.host,
    port: settings.port,
    hosts: settings.hosts,
    origins: settings.corsOrigins,
    routes: [
      ...openHealthRoutes(context),
      ...toRoutes(context, [
        ...healthRoutes(context),
        ...modelRoutes(context),
        ...chatRoutes(context),
        ...runRoutes(context),
        ...sessionRoutes(context),
        ...jobRoutes(context),
      ]),
    ],
    logger,
    clock,
  });
  const pruning = setInterval(prune, PRUNE_MS).unref();
  return {
    host: server.host,
    port: server.port,
    createdKeyFile: keys.isFirstNew ? keys.firstFile : undefined,
    keyFile: keys.firstFile,
    async close(graceMs) {
      clearInterval(pruning);
      const elapsed = startTimer(clock);
      await server.close(graceMs);
      await context.turns.close(Math.max(0, graceMs - elapsed()));
    },
  };
}
