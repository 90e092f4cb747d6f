import fc from 'fast-check';
import { attachmentOf, imageFile } from './sample-files.ts';
import { type Message, NO_COST, NO_USAGE, ownBlock, type ToolCall } from '../../src/base/index.ts';
import {
  type AuxiliaryAnswer,
  type AuxiliaryModels,
  type AuxiliaryRequest,
  type CompressedMessage,
  type CompressionInput,
  UnusableAnswers,
} from '../../src/contracts/index.ts';
import { createTokenMeter } from '../../src/context/meter/token-meter.ts';
import { MODEL_HEADINGS } from '../../src/context/summary/sections.ts';

const meter = createTokenMeter();

/** The estimate of an uncalibrated token meter. */
export function tokensOf(messages: readonly Message[]): number {
  return meter.ofMessages('model', messages);
}

export function inputOf(messages: readonly Message[], changes: Partial<CompressionInput> = {}): CompressionInput {
  const fixedTokens = changes.fixedTokens ?? 500;
  return {
    sessionId: 'session',
    lineageId: 'lineage',
    reason: 'preflight',
    attempt: 1,
    todos: [],
    messages,
    tokensOf,
    fixedTokens,
    tokens: fixedTokens + tokensOf(messages),
    contextLength: 16_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** The conversation after a compression. */
export function applyCompression(given: readonly Message[], compressed: readonly CompressedMessage[]): Message[] {
  return compressed.map((each) => each.message ?? (given[(each as { index: number }).index] as Message));
}

export type AskedModels = AuxiliaryModels & { requests: AuxiliaryRequest[] };

/** One auxiliary model that answers with the result of a function, without retries; errors are thrown on. */
export function answering(
  answer: (request: AuxiliaryRequest, call: number) => string | Partial<AuxiliaryAnswer>,
): AskedModels {
  const requests: AuxiliaryRequest[] = [];
  return {
    requests,
    async ask(_task, request) {
      requests.push(request);
      const given = answer(request, requests.length);
      const parts = typeof given === 'string' ? { text: given } : given;
      const rest = { finishReason: 'stop', usage: NO_USAGE, cost: NO_COST, provider: 'test', model: 'small' } as const;
      const whole = { text: '', ...rest, ...parts };
      const fault = request.findRejectionReason?.(whole);
      if (fault !== undefined) throw new UnusableAnswers(`The answer of test/small could not be used: ${fault}.`);
      return whole;
    },
  };
}

/** A summary in the required format, with these lines in its sections. */
export function summaryWith(lines: Readonly<Partial<Record<(typeof MODEL_HEADINGS)[number], string>>> = {}): string {
  return MODEL_HEADINGS.map((heading) => `## ${heading}\n- ${lines[heading] ?? 'none'}`).join('\n');
}

/** One step: an assistant message with calls, and their results. */
export function step(id: string, outputs: readonly string[], text = ''): Message[] {
  const toolCalls: ToolCall[] = outputs.map((_, index) => ({
    id: `${id}-${index}`,
    name: index % 2 === 0 ? 'terminal' : 'read_file',
    arguments: index % 2 === 0 ? `{"command":"step ${id}"}` : `{"path":"src/${id}.ts"}`,
  }));
  return [
    { role: 'assistant', content: text, toolCalls },
    ...toolCalls.map(
      (call, index): Message => ({
        role: 'tool',
        toolCallId: call.id,
        toolName: call.name,
        content: outputs[index] ?? '',
      }),
    ),
  ];
}

const words = fc
  .array(fc.constantFrom('the', 'build', 'fails', 'in', 'src/a.ts', '第三章', '42', 'and', 'then', '🙂', '"x"'), {
    minLength: 1,
    maxLength: 120,
  })
  .map((parts) => parts.join(' '));

const outputs = fc.array(
  fc.oneof(
    words,
    fc.nat({ max: 6_000 }).map((length) => 'line of output\n'.repeat(length / 15)),
  ),
  { minLength: 1, maxLength: 3 },
);

const turn = fc.record({
  said: words,
  image: fc.boolean(),
  steps: fc.array(fc.record({ outputs, steered: fc.option(words, { freq: 6 }) }), { maxLength: 8 }),
  answer: fc.option(words, { freq: 10 }),
});

/** Conversations as stored: turns with parallel calls, steered messages and attachments. */
export const conversations = fc.array(turn, { minLength: 1, maxLength: 8 }).map((turns) =>
  turns.flatMap(({ said, image, steps, answer }, index): Message[] => [
    { role: 'user', content: `${index}: ${said}`, ...(image && { attachments: [attachmentOf(imageFile())] }) },
    ...steps.flatMap(({ outputs: given, steered }, number) => {
      const made = step(`${index}-${number}`, given);
      const last = made.at(-1);
      if (steered !== null && last?.role === 'tool')
        last.content += ownBlock('steering').write(`steered ${index}-${number}: ${steered}`);
      return made;
    }),
    // The last turn is still running if it has no answer.
    ...(answer === null && index === turns.length - 1
      ? []
      : [{ role: 'assistant', content: answer ?? 'done' } as const]),
  ]),
);

/** A conversation with this many turns, each with a different user message and two steps. */
export function longConversation(turns: number, output = 'line of output\n'.repeat(60)): Message[] {
  return Array.from({ length: turns }, (_, index): Message[] => [
    { role: 'user', content: `Wish number ${index}: edit module${index}` },
    ...step(`${index}a`, [`${index} ${output}`, `file ${index} ${output}`]),
    ...step(`${index}b`, [`tests ${index} ${output}`]),
    { role: 'assistant', content: `Module ${index} is edited.` },
  ]).flat();
}
