import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Attachment } from '../../base/index.ts';
import type { SessionExport, SessionStore, TurnRecord } from '../../contracts/index.ts';
import { copySessions } from '../copy-sessions.ts';
import { parseSessionExport } from '../session-export-format.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const TURN: TurnRecord = {
  sessionId: 'parent',
  taskId: 'task_1',
  startedAt: START,
  endedAt: START + 1500,
  exitReason: 'completed',
  apiCalls: 1,
  toolCalls: 1,
  model: 'model-1',
  provider: 'example',
  error: 'none to speak of',
};

/** Refers to the blob that is stored below, by its hash. */
const ATTACHMENT: Attachment = {
  kind: 'image',
  mediaType: 'image/png',
  name: 'a.png',
  size: 3,
  description: 'Three bytes.',
  hash: createHash('sha256')
    .update(Uint8Array.from([0, 1, 255]))
    .digest('hex'),
};

/** A compressed session with everything that a session can have. */
async function fill(store: SessionStore): Promise<void> {
  const [source, startedAt] = ['cli', START];
  const origin = { workingDirectory: '/work/日本', kind: 'one_shot' } as const;
  await store.createSession({
    id: 'parent',
    source,
    startedAt,
    title: 'X',
    model: 'm',
    systemPrompt: 'Be\0kind.',
    origin,
  });
  await store.appendMessages(
    'parent',
    [
      { role: 'user', content: 'List the files', sentContent: 'List the files now', attachments: [ATTACHMENT] },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'terminal', arguments: '{}' }], reasoning: '…' },
      {
        role: 'tool',
        toolCallId: 'c1',
        toolName: 'terminal',
        content: 'a\0b 日本語',
        attachments: [{ ...ATTACHMENT, name: 'result.png' }],
      },
    ],
    callRecord(),
    { toolStatus: { c1: 'denied' } },
  );
  await store.recordTurn(TURN);
  await store.putBlob('parent', Uint8Array.from([0, 1, 255]), 'image/png');
  const [first, , last] = await store.getMessages('parent');
  const child = { id: 'child', source: 'telegram', startedAt: START + 9000, title: 'X #2' };
  await store.splitSession('parent', child, [
    { copyOf: first?.id ?? 0 },
    { message: { role: 'user', content: 'A summary' }, isReplacement: true },
    { copyOf: last?.id ?? 0 },
  ]);
}

async function collect(records: AsyncIterable<SessionExport>): Promise<SessionExport[]> {
  const list: SessionExport[] = [];
  for await (const record of records) list.push(parseSessionExport(JSON.parse(JSON.stringify(record))));
  return list;
}

export function describeTransfer(openStore: OpenStore): void {
  describe('export and import', () => {
    verifies(
      ['STORE-3', 'STORE-5'],
      'an export of all sessions contains each message once, and can be imported completely',
      async () => {
        const { store } = await openHarness(openStore);
        await fill(store);
        const records = await collect(store.exportAll());
        expect(records.map(({ session }) => session.id)).toEqual(['parent', 'child']);
        expect(JSON.stringify(records).split('List the files now')).toHaveLength(2);
        const { store: other } = await openHarness(openStore);
        // Existing messages, so that ids do not match by chance.
        await other.createSession({ id: 'else', source: 'cli', startedAt: 0 });
        await other.appendMessages('else', [{ role: 'user', content: 'x' }]);
        for (const record of records) {
          expect(await other.importSession(record, { isOwnPrompt: true })).toMatchObject({
            status: 'imported',
            messages: 3,
            notes: [],
          });
        }
        for (const id of ['parent', 'child']) {
          expect(await other.getSession(id)).toEqual(await store.getSession(id));
          expect(await other.getConversation(id)).toStrictEqual(await store.getConversation(id));
          expect(await other.getTurns(id)).toEqual(await store.getTurns(id));
          expect(await other.sessionSpending(id)).toEqual(await store.sessionSpending(id));
          expect(await other.exportSession(id)).toStrictEqual(await store.exportSession(id));
          const conversation = await other.getConversation(id);
          expect(conversation[0]).toMatchObject({ attachments: [ATTACHMENT] });
          expect(conversation.at(-1)).toMatchObject({ role: 'tool', attachments: [{ name: 'result.png' }] });
          expect((await other.exportSession(id)).blobs).toMatchObject([{ hash: ATTACHMENT.hash }]);
        }
        expect((await other.statistics()).messages).toEqual({ user: 2, assistant: 1, tool: 1 });
      },
    );

    verifies('STORE-3', 'exports one session by itself, a lineage, or a source', async () => {
      const { store, create } = await openHarness(openStore);
      await fill(store);
      await create('stranger');
      const child = await store.exportSession('child');
      expect(child.messages.map(({ message }) => message)).toEqual(await store.getConversation('child'));
      const ids = async (options: Parameters<SessionStore['exportAll']>[0]) =>
        (await collect(store.exportAll(options))).map(({ session }) => session.id);
      expect(await ids({ lineageOf: 'child' })).toEqual(['parent', 'child']);
      expect(await ids({ lineageOf: 'stranger' })).toEqual(['stranger']);
      expect(await ids({ source: 'telegram' })).toEqual(['child']);
      const [alone] = await collect(store.exportAll({ source: 'telegram' }));
      expect(alone?.messages.every(({ message }) => message !== undefined)).toBe(true);
      await expect(store.exportSession('nobody')).rejects.toThrow('There is no session nobody');
      await expect(ids({ lineageOf: 'nobody' })).rejects.toThrow('There is no session nobody');
    });

    describeShortened(openStore);
    describeImport(openStore);
  });
}

function describeShortened(openStore: OpenStore): void {
  verifies(['STORE-3', 'STORE-5'], 'shortened copies are imported with their short text', async () => {
    const { store } = await openHarness(openStore);
    await fill(store);
    const [first] = await store.getMessages('child');
    const shortened = { role: 'user' as const, content: 'List …' };
    const grandchild = { id: 'grandchild', source: 'cli', startedAt: START + 9000 };
    await store.splitSession('child', grandchild, [{ copyOf: first?.id ?? 0, message: shortened }]);
    const { store: other } = await openHarness(openStore);
    for (const record of await collect(store.exportAll())) await other.importSession(record);
    expect(await other.getConversation('grandchild')).toStrictEqual([shortened]);
    expect(await other.getSession('grandchild')).toMatchObject({ messageCount: 0, title: 'X #3' });
    expect(await other.exportSession('grandchild')).toStrictEqual(await store.exportSession('grandchild'));
  });
}

function describeImport(openStore: OpenStore): void {
  verifies('STORE-3', 'an import keeps existing sessions, and reports what could not be kept', async () => {
    const { store } = await openHarness(openStore);
    await fill(store);
    const [parent, child] = await collect(store.exportAll());
    if (parent === undefined || child === undefined) throw new Error('nothing was exported');
    expect(await store.importSession(parent)).toMatchObject({ status: 'exists', messages: 0 });
    expect(await store.getConversation('parent')).toHaveLength(3);

    const { store: other, create } = await openHarness(openStore);
    await create('owner', { title: 'X' });
    const orphan = await other.importSession(child);
    expect(orphan).toMatchObject({ status: 'imported', messages: 1 });
    expect(orphan.notes.join(' ')).toMatch(/without its parent parent.*lacks 2 messages/);
    const titled = await other.importSession(parent);
    expect(titled.notes.join(' ')).toContain('"X #3"');
    expect(await other.getSession('parent')).toMatchObject({ title: 'X #3', messageCount: 3, toolCallCount: 1 });
    const png = await other.getBlob(parent.blobs[0]?.hash ?? '');
    expect(png && { ...png, bytes: [...png.bytes] }).toEqual({ mediaType: 'image/png', bytes: [0, 1, 255] });
  });

  verifies(
    'PROMPT-2',
    'an imported system prompt is marked until we build one, also in branches and copies',
    async () => {
      const { store } = await openHarness(openStore);
      await fill(store);
      const record = await store.exportSession('parent');
      expect((await store.getSession('parent'))?.isPromptImported).toBeUndefined();

      const { store: other } = await openHarness(openStore);
      await other.importSession(record);
      const imported = { systemPrompt: 'Be\0kind.', isPromptImported: true };
      expect(await other.getSession('parent')).toMatchObject(imported);
      expect(await other.exportSession('parent')).toStrictEqual(record);
      await other.branchSession('parent', { id: 'branch', source: 'cli', startedAt: START });
      expect(await other.getSession('branch')).toMatchObject(imported);

      const { store: copy } = await openHarness(openStore);
      await copySessions(other, copy);
      expect(await copy.getSession('parent')).toMatchObject(imported);
      await other.setSystemPrompt('parent', 'Ours.');
      expect((await other.getSession('parent'))?.isPromptImported).toBeUndefined();
      const { store: again } = await openHarness(openStore);
      await copySessions(other, again);
      expect((await again.getSession('parent'))?.isPromptImported).toBeUndefined();
      expect(await again.getSession('branch')).toMatchObject(imported);
    },
  );

  it('imports completely or not at all', async () => {
    const { store } = await openHarness(openStore);
    await fill(store);
    const record = await store.exportSession('parent');
    const { store: other } = await openHarness(openStore);
    const broken = { ...record, calls: [{ ...record.calls[0], model: Symbol('x') }] } as unknown as SessionExport;
    await expect(other.importSession(broken)).rejects.toThrow(/./);
    expect(await other.getSession('parent')).toBeUndefined();
    expect(await other.getConversation('parent')).toEqual([]);
  });

  it('a session that was deleted and imported again has the same cost', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    for (const content of ['a', 'b']) await store.appendMessages('one', [{ role: 'user', content }], callRecord());
    const record = await store.exportSession('one');
    const before = await store.sessionSpending('one');
    await store.deleteSession('one');
    await store.importSession(record);
    expect(await store.sessionSpending('one')).toEqual(before);
    expect(await store.exportSession('one')).toEqual(record);
  });
}
