import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApiMode } from '../../src/contracts/index.ts';
import { createProviderServer, findHistoryFaults, type Reply } from '../../src/testing/index.ts';
import { calling, readEvents, typesOf, withRoutes } from './agent-fixture.ts';
import { FAULTS, ODDITIES, routeToServer } from './provider-fixture.ts';

/**
 * The replies of a provider in one turn, whether there is a fallback, and after how many events the turn is
 * interrupted.
 */
type FaultSequence = { replies: Reply[]; withFallback: boolean; interruptAfter: number | null };

/** Stalls take real time, so they are rare. */
const quickFaults = FAULTS.filter((fault) => !fault.name.startsWith('stall')).map((fault) => fault.reply);
const stalls = FAULTS.filter((fault) => fault.name.startsWith('stall')).map((fault) => fault.reply);

let callCount = 0;
const goodCall = (): Reply => calling('echo', { text: `${callCount}` }, `call_${(callCount += 1)}`);

const anyReply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...quickFaults) },
  { weight: 1, arbitrary: fc.constantFrom(...stalls) },
  { weight: 6, arbitrary: fc.constantFrom(...ODDITIES.slice(0, 1).map((oddity) => oddity.reply)) },
  { weight: 60, arbitrary: fc.constant(null).map(goodCall) },
  { weight: 8, arbitrary: fc.constant<Reply>({}) },
  { weight: 8, arbitrary: fc.constant<Reply>({ reasoning: 'only thinking' }) },
  { weight: 8, arbitrary: fc.constant<Reply>({ text: 'cut ', finishReason: 'length' }) },
  { weight: 8, arbitrary: fc.constant<Reply>({ ...calling('echo', '{"text": "cu'), finishReason: 'length' }) },
  { weight: 8, arbitrary: fc.constant<Reply>(calling('echo', 'not json at all', 'call_bad')) },
  { weight: 8, arbitrary: fc.constant<Reply>(calling('no_such_tool_at_all', {}, 'call_unknown')) },
  { weight: 4, arbitrary: fc.constant<Reply>({ text: 'done' }) },
);

export const anyFaultSequence: fc.Arbitrary<FaultSequence> = fc.record({
  replies: fc.array(anyReply, { minLength: 1, maxLength: 10 }),
  withFallback: fc.boolean(),
  interruptAfter: fc.option(fc.nat({ max: 40 }), { freq: 4 }),
});

/**
 * Runs one turn with the faults and checks that it ends with one terminal event, that the stored history is valid,
 * and that the next turn works.
 */
export async function checkFaultSequence(apiMode: ApiMode, sequence: FaultSequence): Promise<void> {
  const { replies, withFallback, interruptAfter } = sequence;
  await using server = await createProviderServer({ script: [...replies, { text: 'end' }], repeatLast: true });
  await using second = await createProviderServer({ script: () => ({ text: 'fallback' }) });
  const routes = [routeToServer(server, apiMode), ...(withFallback ? [routeToServer(second, apiMode)] : [])];
  await withRoutes(routes, async ({ agent, store }) => {
    const run = agent.run({ userMessage: 'go' });
    let seen = 0;
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      if (seen++ === interruptAfter) run.interrupt();
    }
    const result = await run.result;
    assert.equal(types.filter((type) => type === 'finished').length, 1);
    assert.equal(types.at(-1), 'finished');
    assert.deepEqual(plain(await store.getConversation(agent.sessionId)), plain(result.messages));
    const turns = await store.getTurns(agent.sessionId);
    assert.deepEqual(
      turns.map((turn) => turn.exitReason),
      [result.exitReason],
    );

    server.setScript(() => ({ text: 'goes on' }));
    const next = await readEvents(agent.run({ userMessage: 'still there?' }));
    assert.equal(next.result.exitReason, 'completed');
    assert.equal(typesOf(next.events).at(-1), 'finished');
  });
  for (const request of [...server.requests, ...second.requests]) {
    assert.deepEqual(findHistoryFaults(apiMode, request.body), []);
  }
}

/** Removes undefined fields. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
