import * as z from 'zod/mini';
import { findAddressFault } from './address.ts';

export const MCP_TRANSPORTS = ['stdio', 'http', 'streamable_http', 'sse'] as const;
export const MCP_TRUST = ['full', 'untrusted'] as const;
const AUTH_KINDS = ['oauth', 'none'] as const;

/** What several keys take. Made when a file has servers: a start without them does not pay for it. */
function kinds() {
  const text = z.string('text (put it in quotes if it looks like a number)');
  return {
    text,
    seconds: z.optional(z.number('seconds above 0').check(z.positive('seconds above 0'))),
    flag: z.optional(z.boolean('true or false')),
    names: z.optional(z.array(text, 'a list of names, in which * stands for anything')),
    /** Ports and ids are texts to whoever reads them, and numbers to YAML. */
    anyText: z.pipe(z.transform(toText), text),
    address: text.check(
      // A variable is filled in when the server is connected to.
      z.refine((value) => value.includes('${') || findAddressFault(value) === undefined, {
        error: (issue) => findAddressFault(String(issue.input))?.wanted,
      }),
    ),
  };
}

type Kinds = ReturnType<typeof kinds>;

/** `mcp_servers.<name>`: how a server is reached, and how much of it is used. */
export function mcpServersSection() {
  const known = kinds();
  const { text, seconds, flag, names, anyText, address } = known;
  const texts = (of: string) => z.optional(z.record(z.string(), anyText, `a mapping of ${of}`));
  const server = z.looseObject(
    {
      ...{ command: z.optional(text), args: z.optional(z.array(anyText, 'a list of texts')) },
      ...{ env: texts('variables to texts'), cwd: z.optional(text) },
      ...{ url: z.optional(address), headers: texts('header names to texts') },
      transport: z.optional(z.enum(MCP_TRANSPORTS, `one of ${MCP_TRANSPORTS.join(', ')}`)),
      auth: z.optional(z.enum(AUTH_KINDS, `one of ${AUTH_KINDS.join(', ')}`)),
      oauth: z.optional(oauthKeys(known)),
      ...{ enabled: flag, timeout: seconds, connect_timeout: seconds },
      keepalive_interval: z.optional(z.number('seconds, 5 or more').check(z.gte(5, 'seconds, 5 or more'))),
      supports_parallel_tool_calls: flag,
      trust: z.optional(z.enum(MCP_TRUST, `one of ${MCP_TRUST.join(', ')}`)),
      tools: z.optional(
        z.looseObject(
          { include: names, exclude: names, resources: flag, prompts: flag },
          'a mapping with include or exclude',
        ),
      ),
      sampling: z.optional(samplingKeys(known)),
      elicitation: flag,
    },
    'a mapping with command or url',
  );
  return z.record(z.string(), server, 'a mapping of names to servers');
}

function oauthKeys({ text }: Kinds) {
  const keys = { client_id: z.optional(text), client_secret: z.optional(text), scope: z.optional(text) };
  return z.looseObject(keys, 'a mapping with client_id, scope, …');
}

/** `sampling: true` is short for a mapping with nothing else in it. */
function samplingKeys({ flag, seconds }: Kinds) {
  const count = z.optional(z.int('a whole number above 0').check(z.positive('a whole number above 0')));
  const keys = z.looseObject(
    { enabled: flag, max_tokens_cap: count, max_rpm: count, timeout: seconds },
    'true, false, or a mapping with enabled, max_tokens_cap, max_rpm',
  );
  return z.pipe(
    z.transform((value) => (typeof value === 'boolean' ? { enabled: value } : value)),
    keys,
  );
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
