import { type ApiServerSettings, loadGatewaySettings } from '../../../config/gateway/index.ts';
import { profileRoot, resolveHome } from '../../../config/index.ts';
import type { Messaging } from '../../../contracts/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import { type ApiServer, type ProfileOptions, startApiServer } from '../../api-server/index.ts';
import { openRuntime } from '../../gateway/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { CliRun } from '../cli-run.ts';
import { printable } from '../style.ts';
import { VERSION } from '../version.ts';
import { runUntilStopped } from './run-until-stopped.ts';

export type ServeOptions = { host?: string; port?: number };

/** How long running turns may take to end. */
const DRAIN_MS = 60_000;

/** `hermes serve`. The first signal lets running turns end. */
export async function serve(options: ServeOptions, run: CliRun): Promise<number> {
  const signal = runUntilStopped(run);
  const { io } = run;
  const { env, workingDirectory } = io;
  const home = resolveHome(env);
  const gateway = await loadGatewaySettings({ home, env });
  const onNotice = (notice: string) => void io.stderr.write(`${printable(notice)}\n`);
  const runtime = await openRuntime({ env, workingDirectory, onNotice }, gateway, home);
  try {
    const server = await startServer({ runtime, settings: { ...gateway.apiServer, ...options } }, io);
    await aborted(signal);
    await server.close(DRAIN_MS);
  } finally {
    await runtime.close();
  }
  return 0;
}

export type ServedApi = {
  runtime: Runtime;
  settings: ApiServerSettings;
  /** Delivers the answers of jobs; absent if no gateway runs in this process. */
  messaging?: () => Promise<Messaging>;
};

/** Starts the API server and says how to reach it. */
export async function startServer(served: ServedApi, io: CliIo): Promise<ApiServer> {
  const { settings } = served;
  const server = await startApiServer({ ...served, env: io.env, version: VERSION, profiles: profilesOf(io) });
  const host = server.host.includes(':') ? `[${server.host}]` : server.host;
  io.stderr.write(`${printable(`API: http://${host}:${server.port}/v1`)}\n`);
  io.stderr.write(`${printable(describeKey(server, settings))}\n`);
  return server;
}

/** The profiles next to the one of the server, each with its own configuration and sandbox. */
function profilesOf({ env, workingDirectory }: CliIo): ProfileOptions {
  return {
    root: profileRoot(env),
    openRuntime: async (home, profileEnv) =>
      openRuntime(
        { env: profileEnv, workingDirectory, onNotice: () => undefined },
        await loadGatewaySettings({ home, env: profileEnv }),
        home,
      ),
  };
}

function describeKey({ createdKeyFile, keyFile }: ApiServer, { key }: ApiServerSettings): string {
  if (createdKeyFile !== undefined) return `Key: created in ${createdKeyFile}, which only you can read`;
  if (key !== undefined) return 'Key: API_SERVER_KEY';
  return keyFile === undefined ? 'Keys: those of `hermes api key list`' : `Key: in ${keyFile}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
