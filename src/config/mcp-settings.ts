import { formatPath } from './format-path.ts';
import type { ConfigFile } from './schema.ts';

/** Paths as they are written in the file. */
export type ServerTls = {
  verify: boolean;
  authorityFile: string | undefined;
  certificateFile: string | undefined;
  /** Undefined where the key is in the file of the certificate. */
  keyFile: string | undefined;
};

/** A server whose tools the agent may use, `mcp_servers.<name>`. `${NAME}` in texts is filled in when it is connected to. */
export type McpServerSettings = {
  /** What its tools are named after: no other server has it. */
  label: string;
  /** A program of this machine … */
  command: string | undefined;
  args: readonly string[];
  /** All it gets besides a few harmless variables. */
  env: Readonly<Record<string, string>>;
  directory: string | undefined;
  /** … or an address. */
  url: string | undefined;
  headers: Readonly<Record<string, string>>;
  transport: 'stdio' | 'http' | 'sse' | undefined;
  /** One logs in there; what is not said is found out from the server. */
  login: { clientId: string | undefined; clientSecret: string | undefined; scope: string | undefined } | undefined;
  /** Which certificates are believed, and the one that is shown; undefined where it is as for everything else. */
  tls?: ServerTls | undefined;
  enabled: boolean;
  timeoutSeconds: number;
  connectTimeoutSeconds: number;
  keepaliveSeconds: number;
  /** After so long without a call the connection is ended, until the next one; undefined for never. */
  idleSeconds?: number | undefined;
  /** After so long it is ended as soon as no call runs. */
  lifetimeSeconds?: number | undefined;
  /** Its calls may run beside each other, also those that change something. */
  parallel: boolean;
  /** `full`: nothing asks. `untrusted`: all that does not only read asks. Else what says of itself that it destroys. */
  trust: 'full' | 'untrusted' | undefined;
  /** Patterns of tool names; undefined for all. */
  include: readonly string[] | undefined;
  exclude: readonly string[];
  resources: boolean;
  prompts: boolean;
  /** It may ask an auxiliary model; undefined where it may not. */
  sampling: { maxTokens: number; perMinute: number; timeoutSeconds: number } | undefined;
  /** It may ask the person. */
  elicitation: boolean;
};

type ServerEntry = NonNullable<ConfigFile['mcp_servers']>[string];

const DEFAULT_SAMPLING = { maxTokens: 4096, perMinute: 10, timeoutSeconds: 30 } as const;

/** `mcp_servers`; undefined where there are none, so that nothing about them is loaded. */
export function readMcpServers(
  servers: ConfigFile['mcp_servers'],
): Readonly<Record<string, McpServerSettings>> | undefined {
  const entries = Object.entries(servers ?? {});
  if (entries.length === 0) return undefined;
  const labels = labelServers(entries.map(([name]) => name));
  return Object.fromEntries(
    entries.map(([name, entry]) => [name, { label: labels.get(name) ?? name, ...readServer(entry) }]),
  );
}

/** Servers of which nobody could say where they are. One that is switched off may wait for the rest of its entry. */
export function findUnreachable(
  servers: ConfigFile['mcp_servers'],
  place: (path: readonly PropertyKey[]) => string,
): string[] {
  return Object.entries(servers ?? {}).flatMap(([name, { command, url, enabled = true }]) => {
    if (command !== undefined || url !== undefined || !enabled) return [];
    const path = ['mcp_servers', name];
    return [`${place(path)}: ${formatPath(path)} is ignored, because it needs command or url.`];
  });
}

/** What a file says about one server, with the defaults of what it does not say. */
function readServer(entry: ServerEntry): Omit<McpServerSettings, 'label'> {
  const { tools = {} } = entry;
  return {
    command: entry.command,
    args: entry.args ?? [],
    env: entry.env ?? {},
    directory: entry.cwd,
    url: entry.url,
    headers: entry.headers ?? {},
    // Both names of the same thing are in use.
    transport: entry.transport === 'streamable_http' ? 'http' : entry.transport,
    login:
      entry.auth === 'oauth' || (entry.auth === undefined && entry.oauth !== undefined) ? readLogin(entry) : undefined,
    tls: readTls(entry),
    enabled: entry.enabled ?? true,
    timeoutSeconds: entry.timeout ?? 300,
    connectTimeoutSeconds: entry.connect_timeout ?? 60,
    keepaliveSeconds: entry.keepalive_interval ?? 180,
    // 0 is how one says never.
    idleSeconds: entry.idle_timeout_seconds || undefined,
    lifetimeSeconds: entry.max_lifetime_seconds || undefined,
    parallel: entry.supports_parallel_tool_calls ?? false,
    trust: entry.trust,
    include: tools.include,
    exclude: tools.exclude ?? [],
    resources: tools.resources ?? true,
    prompts: tools.prompts ?? true,
    sampling: readSampling(entry.sampling),
    elicitation: entry.elicitation ?? true,
  };
}

function readLogin({ oauth = {} }: ServerEntry): McpServerSettings['login'] {
  return { clientId: oauth.client_id, clientSecret: oauth.client_secret, scope: oauth.scope };
}

/** Undefined where nothing is said: certificates are then looked at as for everything else. */
function readTls({ ssl_verify: verify, client_cert: files = [], client_key: key }: ServerEntry) {
  const [certificateFile, keyFile = key] = files;
  if (verify === undefined && certificateFile === undefined) return undefined;
  const authorityFile = verify === undefined || verify === 'true' || verify === 'false' ? undefined : verify;
  return { verify: verify !== 'false', authorityFile, certificateFile, keyFile };
}

/** Off unless it was switched on: it lets a server spend the person's tokens. */
function readSampling(entry: ServerEntry['sampling']): McpServerSettings['sampling'] {
  if (entry?.enabled !== true) return undefined;
  return {
    maxTokens: entry.max_tokens_cap ?? DEFAULT_SAMPLING.maxTokens,
    perMinute: entry.max_rpm ?? DEFAULT_SAMPLING.perMinute,
    timeoutSeconds: entry.timeout ?? DEFAULT_SAMPLING.timeoutSeconds,
  };
}

/**
 * What the tools of each server are named after: its name in the characters that every provider takes. Two that come out the
 * same, or of which one could have the tools of the other (`a` with `b__c`, `a__b` with `c`), are told apart by a number,
 * so that neither stands in for the other: what a person allows one of them holds for that one.
 */
export function labelServers(names: readonly string[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const name of names) {
    const plain = name.replace(/[^A-Za-z0-9_-]/g, '_') || '_';
    // Without two of them in a row, nor one at the end, nothing can be put behind it that another one has.
    const base = plain.replaceAll(/_+/g, '_').replace(/_$/, '');
    let label = plain;
    for (let number = 2; [...labels.values()].some((taken) => mayClash(taken, label)); number += 1)
      label = `${base}_${number}`;
    labels.set(name, label);
  }
  return labels;
}

function mayClash(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return long === short || long === `${short}_` || long.startsWith(`${short}__`);
}
