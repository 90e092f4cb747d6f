import { ConfigurationError } from '../../base/index.ts';
import { homePaths, type McpServerSettings, type Settings } from '../../config/index.ts';
import { createLogin, createServer, type McpTool, ServerFailure, type ServerReport } from '../../mcp/index.ts';
import { receiveRedirect } from '../../providers/oauth/index.ts';
import { nearestNames } from '../../util/index.ts';
import { serverParts } from './open-servers.ts';

/** What is known about a server without connecting to it. */
export type ListedServer = {
  name: string;
  enabled: boolean;
  /** The command or the URL, as written in the configuration file. */
  reachedBy: string;
  transport: 'stdio' | 'http' | 'sse';
  /** The cached tool names; absent if the server was never connected. */
  tools?: string[];
  login?: 'logged in' | 'not logged in';
};

export type InspectedServer = {
  report: ServerReport;
  tools: readonly McpTool[];
  connectMs: number;
};

export async function listServers(settings: Settings, workingDirectory: string): Promise<ListedServer[]> {
  return Promise.all(
    Object.entries(settings.mcpServers ?? {}).map(([name, server]) =>
      listServer(name, server, settings, workingDirectory),
    ),
  );
}

async function listServer(
  name: string,
  server: McpServerSettings,
  settings: Settings,
  workingDirectory: string,
): Promise<ListedServer> {
  const parts = serverParts(settings, { workingDirectory });
  const known = createServer(name, server, parts);
  const { known: isKnown } = await known.loadCachedTools();
  return {
    name,
    enabled: server.enabled,
    reachedBy: server.url ?? [server.command, ...server.args].join(' '),
    transport: server.url === undefined ? 'stdio' : server.transport === 'sse' ? 'sse' : 'http',
    ...(isKnown && { tools: known.report().tools }),
    ...(server.login && { login: await loginState(name, server, settings, workingDirectory) }),
  };
}

async function loginState(name: string, server: McpServerSettings, settings: Settings, workingDirectory: string) {
  const { mcpTokensFolder: tokensFolder } = homePaths(settings.home);
  const login = createLogin(name, server, { variables: settings.variables, workingDirectory, tokensFolder });
  // Ignore an unset variable in the URL; it is reported when the user connects to the server.
  return (await login.isLoggedIn().catch(() => false)) ? 'logged in' : 'not logged in';
}

/** Connects to a server, reads its tools, and disconnects. Throws a `ServerFailure` if that fails. */
export async function inspectServer(
  settings: Settings,
  name: string,
  { workingDirectory, signal }: { workingDirectory: string; signal: AbortSignal },
): Promise<InspectedServer> {
  const parts = serverParts(settings, { workingDirectory });
  const server = createServer(name, requireServer(settings, name), parts);
  const begun = performance.now();
  try {
    await server.connect(signal);
    const connectMs = Math.round(performance.now() - begun);
    return { report: server.report(), tools: server.tools(), connectMs };
  } finally {
    await server.close();
  }
}

export type ServerLoginHooks = {
  show(address: string): void;
  /**
   * Asks the user to paste the code or the redirect URL, in case the browser runs on another machine; omitted if
   * no user can be asked.
   */
  askForCode?: ((signal: AbortSignal) => Promise<string>) | undefined;
};

/** The browser is redirected to this machine, to any free port. */
const ANY_LOOPBACK = 'http://127.0.0.1/callback';
const MAX_WAIT_MS = 15 * 60_000;

/** Logs in at a server in the user's browser. */
export async function loginAtServer(
  settings: Settings,
  name: string,
  hooks: ServerLoginHooks,
  { workingDirectory, signal }: { workingDirectory: string; signal: AbortSignal },
): Promise<void> {
  const server = requireServer(settings, name);
  const { mcpTokensFolder: tokensFolder } = homePaths(settings.home);
  const login = createLogin(name, server, { variables: settings.variables, workingDirectory, tokensFolder });
  await login.run({
    show: hooks.show,
    async receive(state) {
      const receiver = await receiveRedirect(ANY_LOOPBACK, state);
      const done = new AbortController();
      const limit = AbortSignal.any([signal, done.signal, AbortSignal.timeout(MAX_WAIT_MS)]);
      return {
        redirectUrl: receiver.redirectUri,
        code: receiveCode(name, receiver.redirect, hooks, { state, signal: limit }),
        close() {
          done.abort(new Error('the login has ended'));
          receiver.close();
        },
      };
    },
  });
}

type Waiting = { state: string; signal: AbortSignal };
type ReceivedCode = { code: string; issuer?: string };

/** Returns the code that arrives first, from the browser or pasted; rejects on timeout. */
async function receiveCode(
  name: string,
  redirect: Promise<ReceivedCode | { error: string }>,
  { askForCode }: ServerLoginHooks,
  { state, signal }: Waiting,
): Promise<ReceivedCode> {
  const ended = Promise.withResolvers<never>();
  const onEnd = () => {
    const reason = signal.reason as Error;
    ended.reject(reason.name === 'TimeoutError' ? loginTimeout(name) : reason);
  };
  signal.addEventListener('abort', onEnd, { once: true });
  const pasted = askForCode?.(signal).then((text) => readPasted(text, state));
  // Prevent unhandled rejections from the promises that lose the race.
  pasted?.catch(() => undefined);
  ended.promise.catch(() => undefined);
  const brought = await Promise.race([redirect, ended.promise, ...(pasted ? [pasted] : [])]);
  if ('code' in brought) return brought;
  throw new ServerFailure('login', `${name} rejected the login (${brought.error.slice(0, 100)}).`);
}

/** Accepts the redirect URL or the code alone. */
function readPasted(text: string, state: string): ReceivedCode | { error: string } {
  const url = URL.parse(text.trim());
  if (url === null) return { code: text.trim() };
  const [code, issuer] = [url.searchParams.get('code'), url.searchParams.get('iss')];
  if (code === null) return { error: url.searchParams.get('error') ?? 'the pasted text contains no code' };
  if (url.searchParams.get('state') !== state) return { error: 'the code belongs to another login' };
  return { code, ...(issuer !== null && { issuer }) };
}

function loginTimeout(name: string): ServerFailure {
  return new ServerFailure('login', `The login at ${name} timed out: no code was received.`, {
    hint: `Try again with: hermes mcp login ${name}`,
  });
}

/** Deletes what is stored about a server besides its settings: its cached tools and its login. */
export async function forgetServer(settings: Settings, name: string, workingDirectory: string): Promise<void> {
  const server = requireServer(settings, name);
  const parts = serverParts(settings, { workingDirectory });
  await createServer(name, server, parts).forget();
  await createLogin(name, server, parts).forget();
}

/** The settings of a server. Throws for an unknown name and lists the known ones. */
function requireServer(settings: Settings, name: string): McpServerSettings {
  const servers = settings.mcpServers ?? {};
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(servers);
  const [near] = nearestNames(name, names, 1);
  const hint = near === undefined ? `Add it with: hermes mcp add ${name} -- COMMAND` : `Did you mean ${near}?`;
  throw new ConfigurationError(`There is no MCP server ${JSON.stringify(name)}.`, {
    hint: near === undefined && names.length > 0 ? `Configured servers: ${names.join(', ')}.` : hint,
  });
}
