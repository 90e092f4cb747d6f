import * as z from 'zod/mini';
import { ATTACHMENT_KINDS, HermesError, isJsonObject } from '../base/index.ts';
import { REASONING_EFFORTS, SESSION_KINDS, type SessionExport } from '../contracts/index.ts';

const text = z.string();
const maybeText = z.optional(text);
const count = z._default(z.number(), 0);
const list = <Entry extends z.ZodMiniType>(entry: Entry) => z._default(z.array(entry), []);

const USAGE = z._default(
  z.object({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count }),
  { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
);
const COST = z.object({
  usd: z.number(),
  status: z.enum(['actual', 'estimated', 'unknown']),
  source: maybeText,
  pricingVersion: maybeText,
});

const names = z.array(text);
const SETUP = z.object({
  effort: z.optional(z.enum(REASONING_EFFORTS)),
  speed: z.optional(z.enum(['normal', 'fast'])),
  toolSets: z.optional(
    z.object({
      toolsets: z.optional(names),
      allowed: z.optional(names),
      disallowed: z.optional(names),
      on: list(text),
      off: list(text),
      features: list(text),
    }),
  ),
  tools: z.optional(
    z.array(
      z.object({
        definition: z.object({ name: text, description: text, parameters: z.record(text, z.json()) }),
        toolset: text,
      }),
    ),
  ),
  knownTools: z.optional(names),
});

const SESSION = z.object({
  // Ids are displayed and typed, so they must not contain control characters.
  id: z.string().check(z.regex(/^[^\p{Cc}]+$/u)),
  source: z.string().check(z.minLength(1)),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
  endReason: maybeText,
  model: maybeText,
  modelConfig: maybeText,
  systemPrompt: maybeText,
  parentSessionId: maybeText,
  isBranch: z.optional(z.literal(true)),
  origin: z.optional(z.object({ workingDirectory: text, kind: z.enum(SESSION_KINDS) })),
  setup: z.optional(SETUP),
  title: maybeText,
  userId: maybeText,
  usage: USAGE,
  cost: z.optional(COST),
});

const TOOL_CALL = z.object({
  id: text,
  name: text,
  arguments: text,
  itemId: maybeText,
  extraContent: z.optional(z.json()),
});
const ATTACHMENT = z.object({
  kind: z.enum(ATTACHMENT_KINDS),
  mediaType: text,
  name: text,
  size: z.number(),
  description: maybeText,
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});
const MESSAGE = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content: text,
    sentContent: maybeText,
    attachments: z.optional(z.array(ATTACHMENT)),
  }),
  z.object({
    role: z.literal('tool'),
    content: text,
    toolCallId: text,
    toolName: text,
    attachments: z.optional(z.array(ATTACHMENT)),
  }),
  z.object({
    role: z.literal('assistant'),
    content: text,
    toolCalls: z.optional(z.array(TOOL_CALL)),
    finishReason: maybeText,
    reasoning: maybeText,
    reasoningDetails: z.optional(z.array(z.json())),
    codexReasoningItems: z.optional(z.array(z.json())),
    producer: maybeText,
  }),
]);
const COPY_OF = z.object({ sessionId: text, position: z.number().check(z.gte(0)) });
const STORED = { timestamp: z.number(), toolStatus: maybeText, isReplacement: z.optional(z.literal(true)) };
// Either the message itself or a reference to its original.
const EXPORTED_MESSAGE = z.union([
  z.object({ ...STORED, message: MESSAGE, copyOf: z.optional(COPY_OF) }),
  z.object({ ...STORED, message: z.optional(z.undefined()), copyOf: COPY_OF }),
]);

const TURN = z.object({
  taskId: text,
  startedAt: z.number(),
  endedAt: z.number(),
  exitReason: text,
  apiCalls: z.number(),
  toolCalls: z.number(),
  model: text,
  provider: text,
  error: maybeText,
});
const CALL = z.object({
  taskId: text,
  purpose: maybeText,
  provider: text,
  model: text,
  baseUrl: text,
  startedAt: z.number(),
  durationMs: z.number(),
  usage: USAGE,
  cost: COST,
  cacheMiss: z.optional(z.looseObject({ reason: text, tokens: z.number() })),
  outcome: text,
});
const BLOB = z.object({ hash: text, mediaType: text, base64: text });

const EXPORT = z.object({
  format: z.literal('hermes-session'),
  version: z.literal(1),
  session: SESSION,
  messages: list(EXPORTED_MESSAGE),
  turns: list(TURN),
  calls: list(CALL),
  blobs: list(BLOB),
});

/** Validates an exported session read from a file; the error says what is wrong. */
export function parseSessionExport(value: unknown): SessionExport {
  if (!isJsonObject(value) || value['format'] !== 'hermes-session')
    throw notAnExport('the format is not "hermes-session"');
  if (value['version'] !== 1) throw notAnExport(`version ${JSON.stringify(value['version'])} is not supported`);
  const read = EXPORT.safeParse(value);
  if (!read.success) throw notAnExport(`${pathOf(read.error.issues[0])} is missing or invalid`);
  // Statuses and reasons are not validated, because a later version may have more of them.
  return read.data as SessionExport;
}

type Issue = z.core.$ZodIssue;

/** The innermost known path; for a union, that of the closest variant. */
function pathOf(issue: Issue | undefined, outer: readonly PropertyKey[] = []): string {
  const path = [...outer, ...(issue?.path ?? [])];
  if (issue?.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = issue.errors.reduce((a, b) => (depthOf(b) > depthOf(a) ? b : a));
    return pathOf(closest[0], path);
  }
  return `"${path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .slice(1)}"`;
}

function depthOf(issues: readonly Issue[]): number {
  return issues[0]?.path.length ?? 0;
}

function notAnExport(reason: string): HermesError {
  return new HermesError(`Not an exported session: ${reason}.`, {
    hint: 'Pass a file written by `hermes sessions export`, with one session per line.',
  });
}
