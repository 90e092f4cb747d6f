import { ConfigurationError, systemClock } from '../../../base/index.ts';
import { loadGatewaySettings } from '../../../config/gateway/index.ts';
import { homePaths, resolveHome } from '../../../config/index.ts';
import { loadModels, openStore, type Runtime } from '../../../runtime/index.ts';
import { createFileLogger } from '../../../runtime/file-logger.ts';
import { checkBudget, limitOf, openKeys, restrictedChoices } from '../../api-server/index.ts';
import { openCommandMessaging } from '../../gateway/index.ts';
import { type McpServerOptions, serveMcpOverHttp, serveMcpOverStdio } from '../../mcp-server/index.ts';
import { DEFAULT_CHAT_OPTIONS } from '../chat-options.ts';
import type { CliRun } from '../cli-run.ts';
import { STOP_TIMEOUT_MS } from '../exit-path.ts';
import { openRuntime } from '../open-runtime.ts';
import { storeLocation } from '../sessions/with-store.ts';
import { reserveOutput } from '../output/reserve-output.ts';
import { printable } from '../style.ts';
import { VERSION } from '../version.ts';

export type ServeOptions = { http?: boolean | number; host?: string; verbose?: boolean };

const DEFAULT_PORT = 8765;
const DEFAULT_HOST = '127.0.0.1';

/** `hermes mcp serve`. Runs until the client closes the pipe, or a signal arrives. */
export async function serveMcp(options: ServeOptions, run: CliRun): Promise<number> {
  if (options.host !== undefined && options.http === undefined) throw new ConfigurationError('--host requires --http.');
  const stop = new AbortController();
  run.exits.setHandler(({ reason }) => stop.abort(new Error(reason)), STOP_TIMEOUT_MS);
  const server = openServer(options, run);
  try {
    if (options.http === undefined) await serveOverStdio(server.options, run, stop.signal);
    else await serveOverHttp(server.options, { ...options, run, signal: stop.signal });
  } finally {
    await server.close();
  }
  return 0;
}

/** Everything is opened by the first call that needs it, so that clients do not wait for what they do not use. */
function openServer(
  { verbose = false }: ServeOptions,
  run: CliRun,
): { options: McpServerOptions; close(): Promise<void> } {
  const { io } = run;
  const { clock = systemClock } = io;
  const home = resolveHome(io.env);
  const logger = createFileLogger({ file: homePaths(home).logFile, clock, verbose });
  const store = createShared(async () =>
    openStore({ ...(await storeLocation(io)), clock, logger, allowReadOnly: true }),
  );
  const runtime = createShared(() => openAgentRuntime(run, verbose));
  return {
    options: {
      version: VERSION,
      openStore: store.open,
      openRuntime: runtime.open,
      async useMessaging(task) {
        const messaging = await openCommandMessaging({ home, env: io.env, sessions: await store.open(), clock });
        try {
          return await task(messaging);
        } finally {
          await messaging.close();
        }
      },
      limits: { checkBudget, limitOf, restrictedChoices },
      clock,
      logger,
    },
    async close() {
      await runtime.close();
      await store.close();
      logger.close();
    },
  };
}

/** Opens something with the first call that needs it, and again if that failed. */
function createShared<Value extends { close(): Promise<void> }>(create: () => Promise<Value>) {
  let opening: Promise<Value> | undefined;
  return {
    open(): Promise<Value> {
      opening ??= create().catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
      return opening;
    },
    async close(): Promise<void> {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function openAgentRuntime(run: CliRun, verbose: boolean): Promise<Runtime> {
  const { env } = run.io;
  const { settings, models } = await loadModels({ home: resolveHome(env), env });
  if (models === undefined)
    throw new ConfigurationError('No model is configured.', { hint: 'Run `hermes setup` to connect one.' });
  const { routes, warnings, auxiliaryRoutes } = models;
  const options = { ...DEFAULT_CHAT_OPTIONS, source: 'mcp', verbose };
  const runtime = await openRuntime(
    { ...run, options, settings, routes, auxiliaryRoutes, warnings, attachments: [] },
    false,
  );
  runtime.blueprint = { ...runtime.blueprint, surface: 'mcp' };
  return runtime;
}

async function serveOverStdio(options: McpServerOptions, { io }: CliRun, signal: AbortSignal): Promise<void> {
  const { output, release } = reserveOutput(io);
  try {
    await serveMcpOverStdio(options, { stdin: io.stdin, stdout: output, signal });
  } finally {
    release();
  }
}

type HttpStart = ServeOptions & { run: CliRun; signal: AbortSignal };

async function serveOverHttp(
  options: McpServerOptions,
  { http, host = DEFAULT_HOST, run, signal }: HttpStart,
): Promise<void> {
  const { env, stderr } = run.io;
  const home = resolveHome(env);
  const { apiServer } = await loadGatewaySettings({ home, env });
  const keys = await openKeys(home, { host, key: apiServer.key }, options.logger);
  const port = typeof http === 'number' ? http : DEFAULT_PORT;
  const server = await serveMcpOverHttp(options, { host, port, keys, hosts: apiServer.hosts });
  const shown = server.host.includes(':') ? `[${server.host}]` : server.host;
  const key =
    keys.firstFile === undefined
      ? 'a key is required'
      : `key: ${keys.isFirstNew ? 'created ' : ''}in ${keys.firstFile}`;
  stderr.write(`${printable(`MCP server: http://${shown}:${server.port}/mcp (${key})`)}\n`);
  const stopped = Promise.withResolvers<void>();
  const onAbort = () => stopped.resolve();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  await stopped.promise;
  await server.close();
}
