import * as z from 'zod/mini';
import { count, endpoint, flag, oneOf, secondsOrNone, text, toFlag, toList } from './schema-parts.ts';

const MCP_TRANSPORTS = ['stdio', 'http', 'streamable_http', 'sse'] as const;
const MCP_TRUST = ['full', 'untrusted'] as const;
const AUTH_KINDS = ['oauth', 'none'] as const;

/** Shared key schemas. They are functions, so that they are built only if MCP servers are configured. */
const seconds = () =>
  z.optional(z.number('a number of seconds above 0').check(z.positive('a number of seconds above 0')));
const patterns = () => z.optional(z.array(text, 'a list of names, in which * matches anything'));
/** Ports and ids may be written as numbers in YAML, but are used as text. */
const anyText = () => z.pipe(z.transform(toText), text);
const texts = (of: string) => z.optional(z.record(z.string(), anyText(), `a mapping of ${of}`));

/** `mcp_servers.<name>`: how to connect to a server, and which of its features to use. */
export function mcpServersSection() {
  const server = z.looseObject(
    {
      command: z.optional(text),
      args: z.optional(z.array(anyText(), 'a list of strings')),
      env: texts('variable names to strings'),
      cwd: z.optional(text),
      url: z.optional(endpoint),
      headers: texts('header names to strings'),
      transport: z.optional(oneOf(MCP_TRANSPORTS)),
      ssl_verify: z.optional(z.pipe(z.transform(toFlagText), z.string('true, false, or a file with certificates'))),
      client_cert: z.optional(
        z.pipe(
          z.transform(toList),
          z.array(text, 'a file, or a list of two: certificate and key').check(z.maxLength(2, 'at most two files')),
        ),
      ),
      client_key: z.optional(text),
      client_key_password: z.optional(anyText()),
      auth: z.optional(oneOf(AUTH_KINDS)),
      oauth: z.optional(oauthKeys()),
      enabled: flag(),
      timeout: seconds(),
      connect_timeout: seconds(),
      keepalive_interval: z.optional(
        z.number('a number of seconds, at least 5').check(z.gte(5, 'a number of seconds, at least 5')),
      ),
      idle_timeout_seconds: z.optional(secondsOrNone()),
      max_lifetime_seconds: z.optional(secondsOrNone()),
      supports_parallel_tool_calls: flag(),
      trust: z.optional(oneOf(MCP_TRUST)),
      tools: z.optional(
        z.looseObject(
          { include: patterns(), exclude: patterns(), resources: flag(), prompts: flag() },
          'a mapping with include or exclude',
        ),
      ),
      sampling: z.optional(samplingKeys()),
      elicitation: flag(),
      roots: z.optional(
        z.pipe(z.transform(toRoots), z.union([z.boolean(), z.array(text)], 'true, false, or a list of folders')),
      ),
    },
    'a mapping with command or url',
  );
  return z.record(z.string(), server, 'a mapping of names to servers');
}

function oauthKeys() {
  const keys = { client_id: z.optional(text), client_secret: z.optional(text), scope: z.optional(text) };
  return z.looseObject(keys, 'a mapping with client_id, scope, …');
}

/** `sampling: true` is short for `sampling: { enabled: true }`. */
function samplingKeys() {
  const keys = z.looseObject(
    { enabled: flag(), max_tokens_cap: z.optional(count), max_rpm: z.optional(count), timeout: seconds() },
    'true, false, or a mapping with enabled, max_tokens_cap, max_rpm',
  );
  return z.pipe(
    z.transform((value) => (typeof toFlag(value) === 'boolean' ? { enabled: value } : value)),
    keys,
  );
}

/** A boolean, or a list of folders. */
function toRoots(value: unknown): unknown {
  const read = toFlag(value);
  return typeof read === 'string' ? [read] : read;
}

/** A path, or a YAML 1.1 boolean. */
function toFlagText(value: unknown): unknown {
  const read = toFlag(value);
  return typeof read === 'boolean' ? String(read) : read;
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
