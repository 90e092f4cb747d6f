import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { withAgent } from '../../test/support/agent-fixture.ts';
import { StoreReplaced } from '../base/index.ts';

describe('a turn whose database was replaced', () => {
  for (const method of ['appendMessages', 'recordTurn'] as const) {
    verifies('BOUND-4', `fails if ${method} notices it`, async () => {
      await withAgent([{ text: 'one' }, { text: 'two' }], async ({ agent, store }) => {
        expect(await agent.run({ userMessage: 'a' }).result).toMatchObject({ exitReason: 'completed' });
        Object.assign(store, { [method]: () => Promise.reject(new StoreReplaced('/a/state.db', { movedTo: '/b' })) });
        const { exitReason, error } = await agent.run({ userMessage: 'b' }).result;
        expect({ exitReason, error }).toEqual({
          exitReason: 'failed',
          error: {
            message:
              'The session database /a/state.db was moved to /b while this process was using it, so nothing more can be stored.',
            hint: 'Exit Hermes and start it again. To import what it contains: hermes sessions import /b',
          },
        });
      });
    });
  }
});
