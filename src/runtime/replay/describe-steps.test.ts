import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { scaledRuns } from '../../../test/support/dose.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import { rebuildRequests } from '../../agent/index.ts';
import type { Message } from '../../base/index.ts';
import { API_MODES, type ApiMode, type ModelRoute } from '../../contracts/index.ts';
import { createModelClient } from '../../llm/index.ts';
import { describeSteps } from './describe-steps.ts';
import { withoutCacheMarkers } from './find-difference.ts';
import type { ReplayStep } from './replay-step.ts';

const TOOL = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } };

function routeOf(apiMode: ApiMode, model = 'claude-test'): ModelRoute {
  const baseUrl = 'http://offline.invalid/v1';
  const quirks = { cacheMarkers: 'claude' as const };
  const client = createModelClient({ apiMode, baseUrl, model, stallTimeoutMs: 1, quirks });
  return { provider: 'p', model, baseUrl, apiMode, contextLength: undefined, client };
}

const conversation = (history: readonly Message[], route: ModelRoute) => ({
  store: { getBlob: async () => undefined },
  id: 'one',
  lineageId: 'one',
  systemPrompt: 'Be good.',
  history,
  inherited: 0,
  route,
  definitions: [TOOL],
});

/** What is sent if every request is encoded as a whole. */
async function encodeWhole(history: readonly Message[], route: ModelRoute) {
  const steps = [];
  for await (const { request } of rebuildRequests(conversation(history, route))) {
    const { body } = route.client.prepare(request);
    const hash = createHash('sha256').update(withoutCacheMarkers(body)).digest('hex');
    steps.push({ bytes: Buffer.byteLength(body), hash });
  }
  return steps;
}

async function replay(history: readonly Message[], route: ModelRoute): Promise<ReplayStep[]> {
  const steps: ReplayStep[] = [];
  for await (const step of describeSteps(rebuildRequests(conversation(history, route)), history, route)) {
    steps.push(step);
  }
  return steps;
}

const text = fc.constantFrom('a', 'Two words.', ' spaced \n', '', 'é "quoted" \\', '{"cache_control":{"a":1}}');
/** Usual exchanges, and what a damaged history contains: missing and orphaned results, repeated roles. */
const exchange = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('answer', 'call', 'two calls') },
  fc.constantFrom('lost result', 'orphan', 'two users', 'two answers', 'silent call'),
);

function toMessages(kinds: readonly string[], texts: readonly string[]): Message[] {
  return kinds.flatMap((kind, index): Message[] => {
    const say = texts[index % texts.length] ?? '';
    const user: Message = { role: 'user', content: `${index} ${say}` };
    const answer: Message = { role: 'assistant', content: say || 'Done.' };
    const call = (id: string) => ({ id, name: 'look', arguments: '{}' });
    const result = (id: string): Message => ({ role: 'tool', toolCallId: id, toolName: 'look', content: say });
    const calling = (...ids: string[]): Message => ({ role: 'assistant', content: say, toolCalls: ids.map(call) });
    const [a, b] = [`a${index}`, `b${index}`];
    if (kind === 'call') return [user, calling(a), result(a), answer];
    if (kind === 'two calls')
      return [user, calling(a, b), result(b), result(a), calling(`c${index}`), result(`c${index}`)];
    if (kind === 'lost result') return [user, calling(a), answer];
    if (kind === 'orphan') return [user, result('nobody'), answer];
    if (kind === 'two users') return [user, user, answer];
    if (kind === 'two answers') return [user, answer, answer];
    if (kind === 'silent call') return [{ role: 'assistant', content: '', toolCalls: [call(a)] }, result(a)];
    return [user, answer];
  });
}

describe('the steps of a long session', () => {
  for (const mode of API_MODES) {
    verifies('OBS-3', `have the bytes of whole requests, although only their ends are encoded: ${mode}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(exchange, { minLength: 25, maxLength: 80 }),
          fc.array(text, { minLength: 3, maxLength: 7 }),
          async (kinds, texts) => {
            const history = toMessages(kinds, texts);
            const whole = await encodeWhole(history, routeOf(mode));
            const steps = await replay(history, routeOf(mode));
            expect(steps.map(({ bytes, hash }) => ({ bytes, hash }))).toEqual(whole);
          },
        ),
        { numRuns: scaledRuns(50) },
      );
    });
  }

  verifies('OBS-3', 'encode only the newest messages of a request', async () => {
    const route = routeOf('chat_completions');
    let most = 0;
    const prepare: ModelRoute['client']['prepare'] = (request) => {
      most = Math.max(most, request.messages.length);
      return route.client.prepare(request);
    };
    const history = toMessages(
      Array.from({ length: 500 }, () => 'call'),
      ['text'],
    );
    const steps = await replay(history, { ...route, client: { ...route.client, prepare } });
    expect(steps).toHaveLength(1_000);
    expect(steps.flatMap(({ differences }) => differences)).toEqual([]);
    expect(steps.at(-1)?.messages).toBe(1_999);
    expect(most).toBeLessThan(60);
  });

  verifies('OBS-3', 'say where a late request differs, counted from the start', async () => {
    const usual = toMessages(
      Array.from({ length: 100 }, () => 'answer'),
      ['text'],
    );
    const history: Message[] = [...usual, { role: 'user', content: 'go' }, ...answers('one', 'two')];
    const [, last] = (await replay(history, routeOf('chat_completions'))).slice(-2);
    // Two answers in a row are sent as one message.
    expect(last?.differences).toEqual([]);
    const more: Message[] = [...history, { role: 'user', content: 'more' }, ...answers('three')];
    const steps = await replay(more, routeOf('chat_completions', 'plain'));
    expect(steps.at(-1)?.differences.map(({ message }) => message)).toEqual([
      expect.stringContaining('message 202 (assistant: one) is omitted or changed'),
      expect.stringContaining('message 203 (assistant: two) is omitted or changed'),
      expect.stringContaining('message 202 of the request (assistant: one two) is added'),
      expect.stringContaining('It does not extend the previous request; first difference at messages.202.content'),
    ]);
  });
});

function answers(...texts: string[]): Message[] {
  return texts.map((content) => ({ role: 'assistant', content }));
}
