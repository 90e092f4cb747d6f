import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { dose } from '../../test/support/dose.ts';
import type { ModelAnswer, ModelRoute, ModelStreamEvent } from '../contracts/index.ts';
import { bedrockConverse } from './bedrock-converse/index.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { chatCompletions } from './chat-completions/index.ts';
import { classifyFailure } from './failure/classify-failure.ts';
import { type Outcome, readResponse } from './read-response.ts';
import { ollamaChat } from './ollama-chat/index.ts';
import { codexResponses } from './responses/index.ts';
import type { WireFormat } from './wire-format.ts';

const FOLDER = join(import.meta.dirname, '../../test/recordings');
const WIRE_FORMATS = {
  chat: chatCompletions,
  anthropic: anthropicMessages,
  responses: codexResponses,
  ollama: ollamaChat,
  bedrock: bedrockConverse,
} as const;
const MODES: Record<keyof typeof WIRE_FORMATS, ModelRoute['apiMode']> = {
  chat: 'chat_completions',
  anthropic: 'anthropic_messages',
  responses: 'codex_responses',
  ollama: 'ollama_chat',
  bedrock: 'bedrock_converse',
};

const CONTENT_TYPES = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'event-stream': 'application/vnd.amazon.eventstream',
};

type Expected = { answer?: ModelAnswer; events?: [string, string][]; failure?: string };
type Recording = { name: string; mode: keyof typeof WIRE_FORMATS; bytes: Buffer; expected: Expected };

const RECORDINGS: Recording[] = readdirSync(FOLDER)
  .filter((file) => /\.(?:sse|ndjson|eventstream)$/.test(file))
  .map((file) => {
    const name = file.replace(/\.\w+$/, '');
    const expected = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Expected;
    return { name, mode: name.split('-')[0] as Recording['mode'], bytes: readFileSync(join(FOLDER, file)), expected };
  });

async function replay(mode: Recording['mode'], chunks: readonly Uint8Array[]) {
  const events: ModelStreamEvent[] = [];
  async function* body() {
    yield* chunks;
  }
  const { framing, createReader }: WireFormat = WIRE_FORMATS[mode];
  const response = {
    status: 200,
    headers: { 'content-type': CONTENT_TYPES[framing] },
    body: body(),
    touchContent: () => {},
    endWithin: () => {},
    release: () => Promise.resolve(),
  };
  const emit = (event: ModelStreamEvent) => void events.push(event);
  const outcome = await readResponse(response, await WIRE_FORMATS[mode].decode(), {
    emit,
    streamed: true,
    framing,
    createReader,
    now: 0,
  });
  return { outcome, events };
}

/** Joins deltas of the same kind, so that the result does not depend on how the stream was split. */
function joined(events: readonly ModelStreamEvent[]): [string, string][] {
  const result: [string, string][] = [];
  for (const event of events) {
    const text = event.type === 'tool-call-start' ? event.name : event.text;
    const last = result.at(-1);
    if (last?.[0] === event.type && event.type !== 'tool-call-start') last[1] += text;
    else result.push([event.type, text]);
  }
  return result;
}

function check(recording: Recording, result: { outcome: Outcome; events: ModelStreamEvent[] }): void {
  const { answer, events, failure } = recording.expected;
  const found =
    'failure' in result.outcome
      ? { failure: classifyFailure(result.outcome.failure).kind }
      : { answer: result.outcome.answer, events: joined(result.events) };
  expect(found).toEqual(failure === undefined ? { answer, events } : { failure });
}

/** Recordings are split at every byte, in the short run at every sixteenth. */
const STRIDE = dose(16, 1);

function cut(bytes: Buffer, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** Equivalent encodings of the same events, all valid in the format. */
const DISGUISES: Record<string, (text: string) => string> = {
  'CRLF line ends': (text) => text.replaceAll('\n', '\r\n'),
  'CR line ends': (text) => text.replaceAll('\n', '\r'),
  'comments between events': (text) => text.replaceAll('\n\n', '\n\n: keep-alive\n\n:\n\n'),
  'ids and retry fields': (text) => text.replaceAll('data:', 'id: 7\nretry: 10\ndata:'),
  'a byte order mark': (text) => `\uFEFF${text}`,
  'no blank after the colon': (text) => text.replaceAll('data: ', 'data:'),
  'data over several lines': (text) => text.replaceAll(/^(data: \{)(".+)$/gm, '$1\ndata: $2'),
};

/** Equivalent encodings of a stream of lines. */
const LINE_DISGUISES: Record<string, (text: string) => string> = {
  'CRLF line ends': (text) => text.replaceAll('\n', '\r\n'),
  'blank lines': (text) => text.replaceAll('\n', '\n\n'),
  'a byte order mark': (text) => `\uFEFF${text}`,
  'no line end at the end': (text) => text.trimEnd(),
};

const disguisesOf = ({ mode }: Recording) =>
  ({ sse: DISGUISES, ndjson: LINE_DISGUISES, 'event-stream': {} })[WIRE_FORMATS[mode].framing] as typeof DISGUISES;

describe.each(RECORDINGS)('$name', (recording) => {
  verifies('CALL-1', `${MODES[recording.mode]}: decodes a recorded stream`, async () => {
    check(recording, await replay(recording.mode, [recording.bytes]));
  });

  it('gives the same result when every byte comes alone', async () => {
    check(recording, await replay(recording.mode, cut(recording.bytes, 1)));
  });

  it('gives the same result when split in two at every byte', async () => {
    for (let at = 1; at < recording.bytes.length; at += STRIDE) {
      const chunks = [recording.bytes.subarray(0, at), recording.bytes.subarray(at)];
      check(recording, await replay(recording.mode, chunks));
    }
  });

  it.each(Object.keys(disguisesOf(recording)))('gives the same result with %s', async (disguise) => {
    const bytes = Buffer.from(disguisesOf(recording)[disguise]?.(recording.bytes.toString()) ?? '');
    check(recording, await replay(recording.mode, [bytes]));
    check(recording, await replay(recording.mode, cut(bytes, 3)));
  });

  it('gives the same result for random splits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 200 }), async (size) => {
        check(recording, await replay(recording.mode, cut(recording.bytes, size)));
      }),
      { numRuns: 20 },
    );
  });

  it('is never a response when truncated', async () => {
    const { answer } = recording.expected;
    for (let at = 0; at < recording.bytes.length; at += STRIDE) {
      const { outcome } = await replay(recording.mode, [recording.bytes.subarray(0, at)]);
      if ('failure' in outcome) continue;
      // After the finish reason, only the usage can be missing.
      const { usage: _, cost: __, ...rest } = outcome.answer;
      const { usage: ___, cost: ____, ...wanted } = answer as ModelAnswer;
      expect(rest).toEqual(wanted);
    }
  });
});
