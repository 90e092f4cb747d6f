import { describe, expect, it } from 'vitest';
import { type OpenStore, openHarness, START } from './store-harness.ts';

const OWNER = { id: 'local', role: 'owner' } as const;
const HOLDER = { pid: 11, host: 'here', surface: 'cli' };

export function describeTurnCommands(openStore: OpenStore): void {
  describe('commands for a running turn', () => {
    it('reach the owner of the turn in the order in which they were written', async () => {
      const { store, openAgain } = await openHarness(openStore);
      const other = await openAgain();
      const write = (id: string, turnToken: string) =>
        other.addTurnCommand({ id, turnToken, body: { kind: 'steer', text: id }, actor: OWNER, createdAt: START });
      for (const id of ['c', 'a', 'b']) await write(id, 'turn');
      await write('d', 'another turn');
      const pending = async () => (await store.listPendingCommands('turn')).map(({ id }) => id);
      expect(await pending()).toEqual(['c', 'a', 'b']);
      await store.settleTurnCommand('a', 'done');
      await store.settleTurnCommand('c', 'refused');
      expect(await pending()).toEqual(['b']);
      expect(await other.getTurnCommand('c')).toEqual({
        id: 'c',
        turnToken: 'turn',
        body: { kind: 'steer', text: 'c' },
        actor: OWNER,
        state: 'refused',
        createdAt: START,
      });
      expect(await other.getTurnCommand('none')).toBeUndefined();
      await other.close();
    });

    it('keep the newest events of a turn, and nothing once it has ended', async () => {
      const { store } = await openHarness(openStore);
      const entries = Array.from({ length: 7 }, (_, index) => ({
        sequence: index + 1,
        event: { type: 'text-delta', text: `${index} \u0000 😀` },
      }));
      await store.appendProgress('turn', entries.slice(0, 4), 3);
      await store.appendProgress('turn', entries.slice(4), 3);
      expect(await store.readProgress('turn', 0)).toEqual(entries.slice(4));
      expect(await store.readProgress('turn', 6)).toEqual(entries.slice(6));
      const body = { kind: 'interrupt', reason: 'enough' } as const;
      for (const [id, createdAt] of [
        ['old', START],
        ['new', START + 5000],
      ] as const) {
        await store.addTurnCommand({ id, turnToken: 'turn', body, actor: OWNER, createdAt });
      }
      await store.clearTurn('turn', START + 1000);
      expect(await store.readProgress('turn', 0)).toEqual([]);
      expect(await store.getTurnCommand('old')).toBeUndefined();
      expect(await store.getTurnCommand('new')).toMatchObject({ id: 'new' });
    });

    it('list the running turns', async () => {
      const { store, advance } = await openHarness(openStore);
      for (const id of ['first', 'second', 'ended']) {
        const outcome = await store.acquireLease(id, HOLDER, id === 'first' ? 10_000 : 60_000);
        if (id === 'ended' && outcome.acquired) await store.releaseLease(outcome.lease);
        advance(1000);
      }
      const running = async () => (await store.listRunningTurns()).map(({ sessionId }) => sessionId);
      expect(await running()).toEqual(['first', 'second']);
      expect((await store.listRunningTurns())[0]).toMatchObject({ ...HOLDER, since: START });
      advance(10_000);
      expect(await running()).toEqual(['second']);
    });
  });
}
