import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { API_MODES } from '../../src/contracts/index.ts';
import { createProviderServer, findHistoryFaults, type Reply } from '../../src/testing/index.ts';
import { calling, readEvents, typesOf, withRoutes } from '../support/agent-fixture.ts';
import { scaledRuns } from '../support/dose.ts';
import { FAULTS, ODDITIES, routeToServer } from '../support/provider-fixture.ts';
import { verifies } from '../spec/verifies.ts';

const SEQUENCES = 500;
const PER_MODE = Math.ceil(SEQUENCES / API_MODES.length);

/** Stalls cost real time; one in a while is enough. */
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

describe('soak', () => {
  for (const apiMode of API_MODES) {
    verifies(
      ['LOOP-4', 'LOOP-6', 'LOOP-10'],
      `${scaledRuns(PER_MODE)} random fault sequences in ${apiMode}: one terminal event each, a valid history`,
      async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(anyReply, { minLength: 1, maxLength: 10 }),
            fc.boolean(),
            fc.option(fc.nat({ max: 40 }), { freq: 4 }),
            async (replies, withFallback, interruptAfter) => {
              await using server = await createProviderServer({
                script: [...replies, { text: 'end' }],
                repeatLast: true,
              });
              await using second = await createProviderServer({ script: () => ({ text: 'fallback' }) });
              const routes = [
                routeToServer(server, apiMode),
                ...(withFallback ? [routeToServer(second, apiMode)] : []),
              ];
              await withRoutes(routes, async ({ agent, store }) => {
                const run = agent.run({ userMessage: 'go' });
                let seen = 0;
                const types: string[] = [];
                for await (const event of run) {
                  types.push(event.type);
                  if (seen++ === interruptAfter) run.interrupt();
                }
                const result = await run.result;
                expect(types.filter((type) => type === 'finished')).toHaveLength(1);
                expect(types.at(-1)).toBe('finished');
                expect(await store.getConversation(agent.sessionId)).toEqual(result.messages);
                expect((await store.getTurns(agent.sessionId)).map((turn) => turn.exitReason)).toEqual([
                  result.exitReason,
                ]);

                server.setScript(() => ({ text: 'goes on' }));
                const next = await readEvents(agent.run({ userMessage: 'still there?' }));
                expect(next.result).toMatchObject({ exitReason: 'completed' });
                expect(typesOf(next.events).at(-1)).toBe('finished');
              });
              for (const request of [...server.requests, ...second.requests]) {
                expect(findHistoryFaults(apiMode, request.body)).toEqual([]);
              }
            },
          ),
          { numRuns: PER_MODE, seed: 20_261_115 },
        );
      },
      180_000,
    );
  }
});
