import { formatPath } from './format-path.ts';
import type { ConfigFile } from './schema.ts';

/** Paths are as written in the file. */
export type ServerTls = {
  verify: boolean;
  authorityFile: string | undefined;
  certificateFile: string | undefined;
  /** Undefined if the key is in the certificate file. */
  keyFile: string | undefined;
  /** The password of the key; undefined if the key is not encrypted. */
  keyPassword?: string | undefined;
};

/** An MCP server, `mcp_servers.<name>`. `${NAME}` in texts is replaced when Hermes connects to the server. */
export type McpServerSettings = {
  /** The unique prefix of its tool names. */
  label: string;
  /** The program of a local server. */
  command: string | undefined;
  args: readonly string[];
  /** Variables that are passed in addition to a few harmless ones. */
  env: Readonly<Record<string, string>>;
  directory: string | undefined;
  /** The URL of a remote server. */
  url: string | undefined;
  headers: Readonly<Record<string, string>>;
  transport: 'stdio' | 'http' | 'sse' | undefined;
  /** Set if the server requires a login. Missing values are discovered from the server. */
  login: { clientId: string | undefined; clientSecret: string | undefined; scope: string | undefined } | undefined;
  /** Trusted certificates and the client certificate; undefined for the usual defaults. */
  tls?: ServerTls | undefined;
  enabled: boolean;
  timeoutSeconds: number;
  connectTimeoutSeconds: number;
  keepaliveSeconds: number;
  /** The connection is closed after this time without a call and reopened for the next one; undefined for never. */
  idleSeconds?: number | undefined;
  /** The connection is closed after this time, as soon as no call is running. */
  lifetimeSeconds?: number | undefined;
  /** Whether calls of this server may run in parallel, including those that change something. */
  parallel: boolean;
  /**
   * `full`: no call needs approval. `untrusted`: every call that is not read-only needs approval. Otherwise: calls of
   * tools that declare themselves destructive need approval.
   */
  trust: 'full' | 'untrusted' | undefined;
  /** Patterns of tool names; undefined for all tools. */
  include: readonly string[] | undefined;
  exclude: readonly string[];
  resources: boolean;
  prompts: boolean;
  /** Limits for requests of the server to an auxiliary model; undefined if they are disabled. */
  sampling: { maxTokens: number; perMinute: number; timeoutSeconds: number } | undefined;
  /** Whether the server may ask the user questions. */
  elicitation: boolean;
  /** The directories that Hermes names to the server (`roots/list`); undefined for the default, empty for none. */
  roots?: readonly string[] | undefined;
};

export type ServerEntry = NonNullable<ConfigFile['mcp_servers']>[string];

const DEFAULT_SAMPLING = { maxTokens: 4096, perMinute: 10, timeoutSeconds: 30 } as const;

/** `mcp_servers`; undefined if there are none, so that no MCP code is loaded. */
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

/** Warnings about servers with neither command nor url. A disabled server may be incomplete. */
export function findIncompleteServers(
  servers: ConfigFile['mcp_servers'],
  locate: (path: readonly PropertyKey[]) => string,
): string[] {
  return Object.entries(servers ?? {}).flatMap(([name, { command, url, enabled = true }]) => {
    if (command !== undefined || url !== undefined || !enabled) return [];
    const path = ['mcp_servers', name];
    return [`${locate(path)}: ${formatPath(path)} is ignored, because it needs command or url.`];
  });
}

export function readServer(entry: ServerEntry): Omit<McpServerSettings, 'label'> {
  const { tools = {} } = entry;
  return {
    command: entry.command,
    args: entry.args ?? [],
    env: entry.env ?? {},
    directory: entry.cwd,
    url: entry.url,
    headers: entry.headers ?? {},
    // Both names are in use for the same transport.
    transport: entry.transport === 'streamable_http' ? 'http' : entry.transport,
    login:
      entry.auth === 'oauth' || (entry.auth === undefined && entry.oauth !== undefined) ? readLogin(entry) : undefined,
    tls: readTls(entry),
    enabled: entry.enabled ?? true,
    timeoutSeconds: entry.timeout ?? 300,
    connectTimeoutSeconds: entry.connect_timeout ?? 60,
    keepaliveSeconds: entry.keepalive_interval ?? 180,
    // 0 means never.
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
    roots: readRoots(entry.roots),
  };
}

function readLogin({ oauth = {} }: ServerEntry): McpServerSettings['login'] {
  return { clientId: oauth.client_id, clientSecret: oauth.client_secret, scope: oauth.scope };
}

/** Returns undefined if nothing is set; the usual certificate verification then applies. */
function readTls(entry: ServerEntry): ServerTls | undefined {
  const { ssl_verify: verify, client_cert: files = [], client_key: key, client_key_password: keyPassword } = entry;
  const [certificateFile, keyFile = key] = files;
  if ([verify, certificateFile, keyFile].every((given) => given === undefined)) return undefined;
  const authorityFile = verify === undefined || verify === 'true' || verify === 'false' ? undefined : verify;
  return { verify: verify !== 'false', authorityFile, certificateFile, keyFile, keyPassword };
}

/** `true` is the default, `false` an empty list. */
function readRoots(roots: ServerEntry['roots']): readonly string[] | undefined {
  if (roots === false) return [];
  return roots === true ? undefined : roots;
}

/** Disabled by default, because it lets a server spend the user's tokens. */
function readSampling(entry: ServerEntry['sampling']): McpServerSettings['sampling'] {
  if (entry?.enabled !== true) return undefined;
  return {
    maxTokens: entry.max_tokens_cap ?? DEFAULT_SAMPLING.maxTokens,
    perMinute: entry.max_rpm ?? DEFAULT_SAMPLING.perMinute,
    timeoutSeconds: entry.timeout ?? DEFAULT_SAMPLING.timeoutSeconds,
  };
}

/**
 * Assigns each server the prefix of its tool names: its name in the characters that all providers accept. If two
 * prefixes are equal, or could lead to the same tool name (`a` with `b__c`, `a__b` with `c`), a number is appended.
 * Otherwise one server could impersonate another, and use the approvals that the user gave to it.
 */
export function labelServers(names: readonly string[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const name of names) {
    const plain = name.replace(/[^A-Za-z0-9_-]/g, '_') || '_';
    // Without `__` and without a trailing `_`, adding a suffix cannot produce a name of another server.
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
