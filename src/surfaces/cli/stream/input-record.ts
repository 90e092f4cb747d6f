import * as z from 'zod/mini';
import type { InteractionAnswer, JsonValue } from '../../../base/index.ts';
import { SESSION_MODES, type SessionMode } from '../../../runtime/index.ts';

/** One line of standard input in the format `stream-json`. */
export type InputRecord =
  | { type: 'prompt'; text: string }
  | { type: 'steer'; text: string }
  | { type: 'answer'; requestId: string; answer: InteractionAnswer }
  | { type: 'interrupt' }
  | { type: 'mode'; mode: SessionMode };

/** Reads a line; returns why it is invalid if it is. Keys that are not known are ignored, as in the output. */
export function readRecord(line: string): InputRecord | { problem: string } {
  const value = parseLine(line);
  if (value === undefined) return { problem: 'the line is not JSON' };
  const { data, error } = recordSchema().safeParse(value);
  if (data !== undefined) return toRecord(data);
  const [issue] = error.issues;
  const at = issue?.path.map(String).join('.');
  return {
    problem: at === undefined || at === '' ? 'the line is not an object' : `\`${at}\` must be ${issue?.message}`,
  };
}

function parseLine(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}

const TYPES = 'prompt, user, steer, answer, interrupt or mode';

function recordSchema() {
  const text = z.string('a string').check(z.regex(/\S/, 'a string that is not blank'));
  const part = z.object({ type: z.literal('text', '"text"'), text: z.string('a string') }, 'an object');
  const content = z.union([text, z.array(part)], 'text or a list of text parts');
  return z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('prompt'), text }),
      // The form that other agents use for the same thing.
      z.object({ type: z.literal('user'), message: z.object({ content }, 'an object') }),
      z.object({ type: z.literal('steer'), text }),
      z.object({
        type: z.literal('answer'),
        request_id: text,
        answer: z.optional(z.enum(['once', 'session', 'always', 'deny'], 'once, session, always or deny')),
        reason: z.optional(text),
        text: z.optional(z.string('a string')),
      }),
      z.object({ type: z.literal('interrupt') }),
      z.object({ type: z.literal('mode'), mode: z.enum(SESSION_MODES, SESSION_MODES.join(', ')) }),
    ],
    { error: () => TYPES },
  );
}

function toRecord(record: z.output<ReturnType<typeof recordSchema>>): InputRecord | { problem: string } {
  if (record.type === 'user') {
    const { content } = record.message;
    return { type: 'prompt', text: typeof content === 'string' ? content : content.map(({ text }) => text).join('\n') };
  }
  if (record.type !== 'answer') return record;
  const { request_id: requestId, answer, reason, text } = record;
  if (answer !== undefined)
    return { type: 'answer', requestId, answer: { kind: 'approval', answer, ...(reason !== undefined && { reason }) } };
  if (text !== undefined) return { type: 'answer', requestId, answer: { kind: 'clarify', text } };
  return { problem: 'an answer needs `answer` (to an approval) or `text` (to a question)' };
}
