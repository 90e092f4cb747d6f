import { describe, expect, it } from 'vitest';
import type { InteractionRequest } from '../../base/index.ts';
import type { NewQuestion } from '../../contracts/index.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

const OWNER = { id: 'local', role: 'owner' } as const;
const GUEST = { id: 'telegram:7', role: 'guest', name: 'Zoë \u0000' } as const;
const APPROVAL = {
  kind: 'approval' as const,
  toolName: 'terminal',
  subject: 'rm -rf build',
  reasons: [{ rule: 'recursive delete', matched: 'rm -rf' }],
} satisfies InteractionRequest;
const YES = { kind: 'approval', answer: 'once' } as const;

const question = (id: string, changes: Partial<NewQuestion> = {}): NewQuestion => ({
  id,
  key: 'chat',
  sessionId: 's',
  turnId: 'turn-1',
  request: APPROVAL,
  allowed: { role: 'admin' },
  askedAt: START,
  expiresAt: START + 300_000,
  ...changes,
});

export function describeQuestions(openStore: OpenStore): void {
  describe('questions', () => {
    async function openWithSession() {
      const bench = await openHarness(openStore);
      for (const id of ['s', 'other']) await bench.store.createSession({ id, source: 'test', startedAt: START });
      return bench;
    }

    it('are stored completely and can be answered once, by an allowed actor, with an answer of their kind', async () => {
      const { store, openAgain } = await openWithSession();
      const other = await openAgain();
      await store.addQuestion(question('q'));
      expect(await other.getQuestion('q')).toEqual({
        ...question('q'),
        state: 'open',
        answer: undefined,
        answeredBy: undefined,
        answeredAt: undefined,
        usedAt: undefined,
      });
      const now = START + 1000;
      expect(await other.answerQuestion('none', YES, OWNER, now)).toBe('not_found');
      expect(await other.answerQuestion('q', YES, GUEST, now)).toBe('forbidden');
      expect(await other.answerQuestion('q', { kind: 'clarify', text: 'yes' }, OWNER, now)).toBe('wrong_kind');
      const both = [store, other].map((each) => each.answerQuestion('q', YES, OWNER, now));
      expect((await Promise.all(both)).toSorted()).toEqual(['answered', 'not_open']);
      expect(await store.getQuestion('q')).toMatchObject({
        state: 'answered',
        answer: YES,
        answeredBy: OWNER,
        answeredAt: now,
      });
      await other.close();
    });

    it('can name the actors who may answer, whatever their role', async () => {
      const { store } = await openWithSession();
      await store.addQuestion(question('q', { allowed: { role: 'owner', actorIds: [GUEST.id] } }));
      expect(await store.answerQuestion('q', YES, GUEST, START)).toBe('answered');
      expect((await store.getQuestion('q'))?.answeredBy).toEqual(GUEST);
    });

    it('expire, and are closed by their turn or by the next one', async () => {
      const { store } = await openWithSession();
      for (const id of ['late', 'expired', 'void', 'mine']) {
        await store.addQuestion(question(id, { turnId: id === 'mine' ? 'turn-2' : 'turn-1' }));
      }
      await store.addQuestion(question('elsewhere', { sessionId: 'other', key: 'chat-2' }));
      expect(await store.answerQuestion('late', YES, OWNER, START + 300_001)).toBe('not_open');
      await store.closeQuestion('expired', 'expired', START);
      await store.closeQuestion('expired', 'void', START);
      expect(await store.voidQuestions('s', 'turn-2')).toBe(2);
      expect((await store.getQuestion('expired'))?.state).toBe('expired');
      expect((await store.getQuestion('void'))?.state).toBe('void');
      const open = async (filter?: { sessionId?: string; key?: string }) =>
        (await store.listOpenQuestions(filter)).map(({ id }) => id).toSorted();
      expect(await open()).toEqual(['elsewhere', 'mine']);
      expect(await open({ sessionId: 's' })).toEqual(['mine']);
      expect(await open({ key: 'chat-2' })).toEqual(['elsewhere']);
      expect(await store.pruneQuestions(START)).toBe(0);
      expect(await store.pruneQuestions(START + 1)).toBe(5);
      expect(await open()).toEqual([]);
    });

    it('keep an unused answer for the same request in the same session', async () => {
      const { store } = await openWithSession();
      await store.addQuestion(question('q'));
      await store.answerQuestion('q', YES, OWNER, START + 5000);
      const find = (sessionId: string, request: InteractionRequest = APPROVAL, since = START) =>
        store.findUnusedAnswer(sessionId, request, since).then((found) => found?.id);
      expect(await find('s')).toBe('q');
      expect(await find('other')).toBeUndefined();
      expect(await find('s', { ...APPROVAL, subject: 'rm -rf /' })).toBeUndefined();
      expect(await find('s', APPROVAL, START + 5001)).toBeUndefined();
      await store.addQuestion(question('late'));
      await store.answerQuestion('late', YES, OWNER, START + 5500);
      await store.closeQuestion('late', 'void', START + 5600);
      expect(await store.getQuestion('late')).toMatchObject({ state: 'answered', usedAt: START + 5600 });
      expect(await find('s')).toBe('q');
      await store.useAnswer('q', START + 6000);
      expect(await find('s')).toBeUndefined();
      expect(await store.getQuestion('q')).toMatchObject({ state: 'answered', usedAt: START + 6000 });
    });

    it('are deleted with their session', async () => {
      const { store } = await openWithSession();
      await store.addQuestion(question('q'));
      await store.deleteSession('s');
      expect(await store.getQuestion('q')).toBeUndefined();
    });
  });
}
