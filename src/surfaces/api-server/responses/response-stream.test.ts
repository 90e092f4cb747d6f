import fc from 'fast-check';
import type OpenAI from 'openai';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { AgentEvent, JsonObject, Message, ToolCall } from '../../../base/index.ts';
import type { StoredMessage } from '../../../contracts/index.ts';
import { type Item, itemsOfTurn, textOf } from './items.ts';
import { createStreamItems, type ResponseEvent } from './stream-items.ts';
import { createTurnEvents, endItems, inStreamOrder } from './turn-events.ts';

const NAME = 'abc';

type Played = { events: ResponseEvent[]; output: Item[] };

const lifecycle = (type: string, output: readonly Item[], status: string): ResponseEvent => ({
  event: type,
  data: { type, response: { id: 'resp_abc', object: 'response', status, output: [...output] } },
});

/** The stream of a turn with these events, of which these messages were stored. */
function play(turn: readonly AgentEvent[], stored: readonly Message[], restartAfter = turn.length): Played {
  const output = itemsOfTurn(NAME, stored.map(toStored)).output;
  let items = createStreamItems();
  const mapping = createTurnEvents({ name: NAME, clientTools: new Set(), continues: false }, items);
  const events = [lifecycle('response.created', [], 'in_progress')];
  events.push(...turn.slice(0, restartAfter).flatMap((event) => mapping.step(event)));
  if (restartAfter < turn.length) {
    // Another process has only the events.
    items = createStreamItems();
    for (const { data } of events) items.restore(JSON.parse(JSON.stringify(data)) as JsonObject);
  }
  events.push(...endItems(items, output));
  const ordered = inStreamOrder(output, items.announced());
  events.push(lifecycle('response.completed', ordered, 'completed'));
  return { events, output: ordered };
}

function toStored(message: Message, index: number): StoredMessage {
  return { id: index + 1, sessionId: 's', timestamp: 0, message };
}

/** What the official package makes of the events, which it validates strictly. */
async function accumulate(
  events: readonly ResponseEvent[],
): Promise<{ seen: string[]; final: OpenAI.Responses.Response }> {
  const lines = events.map(({ data }, index) => `${JSON.stringify({ ...data, sequence_number: index })}\n`);
  const stream = ResponseStream.fromReadableStream(new Blob(lines).stream());
  const seen: string[] = [];
  for await (const event of stream) seen.push(event.type);
  // The package adds what it has parsed.
  const isParsed = (key: string) => key.startsWith('parsed');
  const final = JSON.stringify(await stream.finalResponse(), (key, value: unknown) =>
    isParsed(key) ? undefined : value,
  );
  return { seen, final: JSON.parse(final) as OpenAI.Responses.Response };
}

const text = (delta: string): AgentEvent => ({ type: 'text-delta', text: delta });
const reasoning = (delta: string): AgentEvent => ({ type: 'reasoning-delta', text: delta });
const thinking: AgentEvent = { type: 'thinking-started' };
const discarded: AgentEvent = { type: 'answer-discarded', reason: 'connection lost' };
const step: AgentEvent = { type: 'step-finished', apiCalls: 1, toolCalls: 0 };
const started = ({ id, name, arguments: given }: ToolCall): AgentEvent => ({
  type: 'tool-started',
  callId: id,
  name,
  arguments: given,
});
const finished = ({ id, name }: ToolCall, content: string): AgentEvent => ({
  type: 'tool-finished',
  callId: id,
  name,
  status: 'ok',
  content,
  durationMs: 1,
});
const call = (id: string): ToolCall => ({ id, name: 'read_file', arguments: '{"path":"a"}' });
const result = (id: string, content: string): Message => ({
  role: 'tool',
  toolCallId: id,
  toolName: 'read_file',
  content,
});
const answer = (content: string, more: object = {}): Message => ({ role: 'assistant', content, ...more });

describe('the stream of a response', () => {
  verifies('API-1', 'has reasoning, text, tool calls and results as items, and none inside the text', async () => {
    const turn = [
      ...[thinking, reasoning('Let me '), reasoning('look.'), text('\n\n'), text('I look.')],
      ...[started(call('c1')), finished(call('c1'), 'one'), started(call('c2')), finished(call('c2'), 'two'), step],
      ...[thinking, text('It says '), text('one.'), step],
    ];
    const stored = [
      { role: 'user', content: 'What?' } as const,
      answer('I look.', { reasoning: 'Let me look.', toolCalls: [call('c1'), call('c2')] }),
      ...[result('c1', 'one'), result('c2', 'two'), answer('It says one.')],
    ];
    const { events, output } = play(turn, stored);
    const { seen, final } = await accumulate(events);
    expect(final.output).toEqual(output);
    expect(final.output_text).toBe('I look.It says one.');
    expect(output.map(({ type }) => type)).toEqual([
      ...['reasoning', 'message', 'function_call', 'function_call_output', 'function_call', 'function_call_output'],
      'message',
    ]);
    expect(seen).toMatchInlineSnapshot(`
      [
        "response.created",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_item.done",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ]
    `);
  });

  verifies('API-1', 'discards the text of a failed call, and the rest of the stream is right', async () => {
    const turn = [thinking, reasoning('Hm'), text('Wro'), discarded, thinking, text('Right.'), step];
    const { events } = play(turn, [answer('Right.')]);
    expect(events.filter(({ event }) => event === 'hermes.discarded').map(({ data }) => data['hermes'])).toEqual([
      {
        items: [
          { item_id: 'rs_abc_0', kept_characters: 0 },
          { item_id: 'msg_abc_0', kept_characters: 0 },
        ],
        reason: 'connection lost',
      },
    ]);
    expect((await accumulate(events)).final).toMatchObject({ output_text: 'Right.', output: [{ id: 'msg_abc_0' }] });
  });

  it('keeps the parts of a text that the model continues after its output limit', async () => {
    const turn = [thinking, text('One, '), thinking, text('tw'), discarded, thinking, text('two.'), step];
    const { events } = play(turn, [answer('One, two.')]);
    const [first] = events.filter(({ event }) => event === 'hermes.discarded');
    expect(first?.data['hermes']).toMatchObject({ items: [{ item_id: 'msg_abc_0', kept_characters: 5 }] });
    const done = events.find(({ event }) => event === 'response.output_text.done');
    expect(done?.data['text']).toBe('One, two.');
  });

  it('announces what was stored but not streamed', async () => {
    const turn = [thinking, started(call('c1'))];
    const stored = [
      answer('', { toolCalls: [call('c1'), call('c2')] }),
      result('c1', 'x'),
      result('c2', 'interrupted'),
    ];
    const { events, output } = play(turn, stored);
    const { final } = await accumulate(events);
    expect(final.output).toEqual(output);
    expect(final.output.map((item) => item.id)).toEqual(['fc_c1', 'fc_c2', 'fco_c1', 'fco_c2']);
  });

  it('names calls with ids that cannot be in a path by their hash', () => {
    const { output } = play([], [answer('', { toolCalls: [call('a/b|c')] })]);
    expect(output[0]).toMatchObject({ call_id: 'a/b|c', id: expect.stringMatching(/^fc_[\da-f]{32}$/) });
  });

  verifies('API-1', 'can be ended by another process at any event, whatever was streamed', async () => {
    await fc.assert(
      fc.asyncProperty(turns(), fc.nat(), async ({ turn, stored }, cut) => {
        for (const restartAfter of [turn.length, cut % (turn.length + 1)]) {
          const { events, output } = play(turn, stored, restartAfter);
          const { final } = await accumulate(events);
          expect(final.output).toEqual(output);
          expect(final.output_text).toBe(textOf(output));
        }
      }),
      { numRuns: 50 },
    );
  });
});

type StepPlan = { attempts: string[][]; said: string[]; calls: number };

/** Turns with failed attempts, text and calls, and the messages that the agent stores for them. */
function turns(): fc.Arbitrary<{ turn: AgentEvent[]; stored: Message[] }> {
  const words = fc.array(fc.constantFrom('a', ' ', '\n', 'Wörd 😀', 'x'.repeat(50)), { maxLength: 4 });
  const plan: fc.Arbitrary<StepPlan> = fc.record({
    attempts: fc.array(words, { maxLength: 2 }),
    said: words,
    calls: fc.nat(3),
  });
  return fc.array(plan, { maxLength: 4 }).map((plans) => {
    const turn: AgentEvent[] = [];
    const stored: Message[] = [];
    for (const [index, { attempts, said, calls }] of plans.entries()) {
      for (const attempt of attempts) turn.push(thinking, reasoning('hm'), ...attempt.map(text), discarded);
      const made = Array.from({ length: calls }, (_, position) => call(`c${index}_${position}`));
      stored.push(answer(said.join(''), made.length === 0 ? {} : { toolCalls: made }));
      stored.push(...made.map(({ id }) => result(id, 'ok')));
      turn.push(thinking, ...said.map(text), ...made.map(started), ...made.map((each) => finished(each, 'ok')), step);
    }
    return { turn, stored };
  });
}
