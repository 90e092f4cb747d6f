import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { NewResponse, ResponseStore, StoredConversation } from '../../contracts/index.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

const DAY = 24 * 3_600_000;

const response = (id: string, more: Partial<NewResponse> = {}): NewResponse => ({
  id,
  owner: 'web',
  conversationId: undefined,
  sessionId: 's1',
  afterMessage: 0,
  status: 'queued',
  process: 'process 1',
  createdAt: START,
  expiresAt: START + DAY,
  request: { instructions: 'be \0 brief' },
  ...more,
});

const conversation = (id: string, more: Partial<StoredConversation> = {}): StoredConversation => ({
  id,
  owner: 'web',
  name: undefined,
  sessionId: 's1',
  createdAt: START,
  metadata: {},
  ...more,
});

const END = {
  status: 'completed',
  sessionId: 's2',
  lastMessage: 9,
  endedAt: START + 9,
  result: { model: 'm' },
} as const;

export function describeResponses(openStore: OpenStore): void {
  describe('the responses of the API', () => {
    async function open() {
      const { store, openAgain } = await openHarness(openStore);
      return { responses: await store.openResponseStore(), other: await (await openAgain()).openResponseStore() };
    }

    verifies('GW-12', 'exist only for the key that created them', async () => {
      const { responses, other } = await open();
      await responses.addResponse(response('resp_a'));
      expect(await other.getResponse('resp_a', 'web')).toEqual({
        ...response('resp_a'),
        expiresAt: undefined,
        lastMessage: undefined,
        endedAt: undefined,
        result: {},
      });
      expect(await other.getResponse('resp_a', 'script')).toBeUndefined();
      expect(await other.deleteResponse('resp_a', 'script')).toBe(false);
      expect(await other.deleteResponse('resp_a', 'web')).toBe(true);
      expect(await responses.deleteResponse('resp_a', 'web')).toBe(false);
    });

    it('begin and end once', async () => {
      const { responses, other } = await open();
      await responses.addResponse(response('resp_a'));
      await responses.addResponse(response('resp_b', { createdAt: START - 1000, conversationId: 'conv_1' }));
      expect(await responses.startResponse('resp_a', { sessionId: 's2', afterMessage: 4 })).toBe(true);
      const open_ = (await other.listOpenResponses()).map(({ id, status }) => [id, status]);
      expect(open_).toEqual([
        ['resp_b', 'queued'],
        ['resp_a', 'in_progress'],
      ]);
      const ends = [responses, other].map((store) => store.endResponse('resp_a', END));
      expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(1);
      expect(await other.startResponse('resp_a', { sessionId: 's3', afterMessage: 5 })).toBe(false);
      expect(await other.getResponse('resp_a', 'web')).toMatchObject({ ...END, afterMessage: 4 });
      expect(await other.listResponsesIn(['s1', 's2'], 'web')).toMatchObject([{ id: 'resp_a' }]);
      expect(await other.listResponsesIn(['s2'], 'script')).toEqual([]);
    });

    it('expire when they are final', async () => {
      const { responses } = await open();
      for (const id of ['resp_a', 'resp_b', 'resp_open']) await responses.addResponse(response(id));
      await responses.addResponse(response('resp_new', { expiresAt: START + 2 * DAY }));
      for (const id of ['resp_a', 'resp_b', 'resp_new']) await responses.endResponse(id, END);
      expect(await responses.pruneResponses(START + DAY)).toEqual([]);
      expect(await responses.pruneResponses(START + DAY + 1)).toEqual(['resp_a', 'resp_b']);
      const left = await Promise.all(['resp_a', 'resp_open', 'resp_new'].map((id) => responses.getResponse(id, 'web')));
      expect(left.map((found) => found?.id)).toEqual([undefined, 'resp_open', 'resp_new']);
    });
  });

  describe('the conversations of the API', () => {
    it('have unique names per key', async () => {
      const { store, openAgain } = await openHarness(openStore);
      const stores = [await store.openResponseStore(), await (await openAgain()).openResponseStore()];
      const add = (index: number, more: Partial<StoredConversation>) =>
        (stores[index % 2] as ResponseStore).addConversation(conversation(`conv_${index}`, more));
      const added = await Promise.all([0, 1, 2].map((index) => add(index, { name: 'work' })));
      expect(added.filter(Boolean)).toHaveLength(1);
      expect(await add(3, { name: 'work', owner: 'script' })).toBe(true);
      expect([await add(4, {}), await add(5, {})]).toEqual([true, true]);
      expect(await stores[0]?.findConversation('work', 'script')).toMatchObject({ id: 'conv_3' });
      expect(await stores[0]?.findConversation('other', 'script')).toBeUndefined();
      expect(await stores[0]?.getConversation('conv_3', 'web')).toBeUndefined();
    });

    it('move to another session once, and keep their metadata', async () => {
      const { store } = await openHarness(openStore);
      const responses = await store.openResponseStore();
      await responses.addConversation(conversation('conv_1', { metadata: { topic: 'x' } }));
      expect(await responses.moveConversation('conv_1', 's1', 's2')).toBe(true);
      expect(await responses.moveConversation('conv_1', 's1', 's3')).toBe(false);
      expect(await responses.setConversationMetadata('conv_1', 'script', {})).toBe(false);
      expect(await responses.setConversationMetadata('conv_1', 'web', { topic: 'y' })).toBe(true);
      expect(await responses.getConversation('conv_1', 'web')).toEqual(
        conversation('conv_1', { sessionId: 's2', metadata: { topic: 'y' } }),
      );
      expect(await responses.deleteConversation('conv_1', 'script')).toBe(false);
      expect(await responses.deleteConversation('conv_1', 'web')).toBe(true);
      expect(await responses.getConversation('conv_1', 'web')).toBeUndefined();
    });
  });
}
