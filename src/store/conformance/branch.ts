import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Attachment, Message } from '../../base/index.ts';
import { type StoreHarness, callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const user = (content: string): Message => ({ role: 'user', content });
const ATTACHMENT: Attachment = {
  kind: 'image',
  mediaType: 'image/png',
  name: 'a.png',
  hash: 'cd'.repeat(32),
  size: 3,
};
const BRANCH = {
  parentSessionId: 'held',
  isBranch: true,
  title: 'X #2',
  model: 'm',
  systemPrompt: 'P',
  source: 'telegram',
  messageCount: 0,
  toolCallCount: 0,
};
const HOLDER = { pid: 11, host: 'here', surface: 'cli' };

/** A session in which another process is running a turn, and a branch of that session. */
async function openBranched(openStore: OpenStore): Promise<StoreHarness> {
  const bench = await openHarness(openStore);
  const { store, advance } = bench;
  await store.createSession({ id: 'held', source: 'cli', startedAt: START, title: 'X', model: 'm', systemPrompt: 'P' });
  const call = { id: 'c1', name: 'terminal', arguments: '{}' };
  const result: Message = { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: 'two\0three' };
  const history: Message[] = [
    { role: 'user', content: 'one', attachments: [ATTACHMENT] },
    { role: 'assistant', content: '', toolCalls: [call] },
    result,
  ];
  await store.appendMessages('held', history, callRecord(), { toolStatus: { c1: 'error' } });
  await store.putBlob('held', Uint8Array.from([1, 2, 3]), 'image/png');
  await store.acquireLease('held', HOLDER, 30_000);
  advance(1000);
  await store.branchSession('held', { id: 'branch', source: 'telegram', startedAt: START + 1000 });
  return bench;
}

export function describeBranch(openStore: OpenStore): void {
  describe('branches', () => {
    verifies(['STORE-5', 'STORE-7'], 'a branch starts with copies of all messages, which count once', async () => {
      const { store } = await openBranched(openStore);
      const [originals, copies] = [await store.getMessages('held'), await store.getMessages('branch')];
      expect(copies.map(({ message }) => message)).toStrictEqual(originals.map(({ message }) => message));
      expect(copies.map(({ copyOf }) => copyOf)).toEqual(originals.map(({ id }) => id));
      expect(copies[2]?.toolStatus).toBe('error');
      expect(await store.getSession('branch')).toMatchObject(BRANCH);
      expect((await store.statistics()).messages).toEqual({ user: 1, assistant: 1, tool: 1 });
      expect((await store.searchMessages({ text: 'one' })).hits).toHaveLength(1);
      const exported = [];
      for await (const { messages } of store.exportAll()) exported.push(...messages);
      expect(exported.filter(({ message }) => message !== undefined)).toHaveLength(3);
    });

    verifies('STORE-7', 'the original session is unchanged and continues on its own', async () => {
      const { store, advance } = await openBranched(openStore);
      const newest = async (id: string) => (await store.newestInLineage(id))?.id;
      expect(await store.getSession('held')).toMatchObject({ title: 'X', endedAt: undefined, isBranch: false });
      expect(await store.findLeaseHolder('held')).toMatchObject({ pid: 11 });
      expect(await store.findLeaseHolder('branch')).toBeUndefined();
      await store.appendMessages('held', [user('more')]);
      expect(await store.getMessages('branch')).toHaveLength(3);
      expect([await newest('held'), (await store.resolveSession('X'))?.id]).toEqual(['held', 'held']);
      // The same applies to a branch that was made after the session was compressed.
      advance(1000);
      await store.splitSession('held', { id: 'next', source: 'cli', startedAt: START + 2000, title: 'X #3' }, []);
      advance(1000);
      await store.branchSession('held', { id: 'later', source: 'cli', startedAt: START + 3000 });
      expect([await newest('held'), (await store.resolveSession('X'))?.id]).toEqual(['next', 'next']);
    });

    verifies('STORE-5', 'the continuation of a branch belongs to the branch', async () => {
      const { store, advance } = await openBranched(openStore);
      advance(1000);
      await store.splitSession('branch', { id: 'own', source: 'cli', startedAt: START + 2000, title: 'X #4' }, []);
      expect((await store.newestInLineage('branch'))?.id).toBe('own');
      expect((await store.newestInLineage('held'))?.id).toBe('held');
      expect((await store.resolveSession('X'))?.id).toBe('held');
      await store.setSessionTitle('branch', 'Y');
      await store.setSessionTitle('own', 'Y #2');
      expect((await store.resolveSession('Y'))?.id).toBe('own');
      // The plain title resolves to a branch if no other session has it.
      await store.setSessionTitle('held', undefined);
      await store.setSessionTitle('own', 'X #4');
      expect((await store.resolveSession('X'))?.id).toBe('own');
    });

    describeBranchLife(openStore);
  });
}

function describeBranchLife(openStore: OpenStore): void {
  it('is created completely or not at all', async () => {
    const { store } = await openBranched(openStore);
    const branch = { source: 'cli', startedAt: START };
    await expect(store.branchSession('nobody', { id: 'b', ...branch })).rejects.toThrow('There is no session nobody');
    await expect(store.branchSession('held', { id: 'branch', ...branch })).rejects.toThrow(
      'Session branch already exists',
    );
    expect(await store.getMessages('branch')).toHaveLength(3);
    expect(await store.branchSession('held', { id: 'b', ...branch })).toMatchObject({ id: 'b', title: 'X #3' });
  });

  it('can begin with some of the messages, and with a shorter form of one', async () => {
    const { store } = await openBranched(openStore);
    const [first, second] = await store.getMessages('held');
    const messages = [{ copyOf: second?.id ?? 0, message: { role: 'assistant', content: 'shorter' } as const }];
    await store.branchSession('held', { id: 'cut', source: 'cli', startedAt: START, messages });
    expect(await store.getMessages('cut')).toMatchObject([
      { copyOf: second?.id, message: { role: 'assistant', content: 'shorter' } },
    ]);
    expect(await store.getMessages('held')).toHaveLength(3);
    expect(await store.getSession('cut')).toMatchObject({ isBranch: true, messageCount: 0 });
    const missing = [{ copyOf: (first?.id ?? 0) + 999 }];
    const branch = { id: 'none', source: 'cli', startedAt: START, messages: missing };
    await expect(store.branchSession('held', branch)).rejects.toThrow('has no message');
    expect(await store.getSession('none')).toBeUndefined();
  });

  it('survives an export, and keeps its references when its parent is deleted', async () => {
    const { store, advance } = await openBranched(openStore);
    const { store: other } = await openHarness(openStore);
    for await (const record of store.exportAll())
      await other.importSession(JSON.parse(JSON.stringify(record)), { isOwnPrompt: true });
    expect(await other.getSession('branch')).toEqual(await store.getSession('branch'));
    expect(await other.getConversation('branch')).toStrictEqual(await store.getConversation('branch'));
    await expect(store.deleteSession('branch')).resolves.toMatchObject({ sessionIds: ['branch'] });
    advance(31_000);
    await store.deleteSession('held');
  });

  verifies('STORE-7', 'a watcher gets the messages after the last one it has', async () => {
    const { store, openAgain } = await openBranched(openStore);
    const watcher = await openAgain();
    const last = (await watcher.getMessages('held')).at(-1)?.id ?? 0;
    expect(await watcher.getMessages('held', { after: last })).toEqual([]);
    await store.appendMessages('branch', [user('elsewhere')]);
    await store.appendMessages('held', [user('four\0'), user('five')]);
    const contents = (await watcher.getMessages('held', { after: last })).map(({ message }) => message.content);
    expect(contents).toEqual(['four\0', 'five']);
    const all = await watcher.getMessages('held');
    expect(await watcher.getMessages('held', { after: 0 })).toEqual(all);
    const pages: typeof all = [];
    for (let page = all.slice(0, 0); page.length > 0 || pages.length === 0; ) {
      page = await watcher.getMessages('held', { after: pages.at(-1)?.id, limit: 2 });
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(2);
      pages.push(...page);
    }
    expect(pages).toEqual(all);
    await watcher.close();
  });
}
