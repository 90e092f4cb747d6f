import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { applyCompression, inputOf, longConversation } from '../../test/support/context-fixture.ts';
import { systemClock } from '../base/index.ts';
import { type SessionStore, silentLogger } from '../contracts/index.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import { createContextEngine, createRemovedMessages } from './index.ts';
import { findReplacement } from './replacement.ts';

describe('messages listed in a removal map', () => {
  let folder: string;
  let store: SessionStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-removed-'));
    store = await openSqliteStore({ file: join(folder, 'state.db') });
    await store.createSession({ id: 's0', source: 'cli', startedAt: 0 });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  const engine = createContextEngine(
    { contextEngine: 'lossless' },
    { auxiliary: undefined, logger: silentLogger, clock: systemClock },
  );

  /** Compresses a stored session into its child and returns the user statements of the map with their numbers. */
  async function compress(from: string, to: string) {
    const stored = await store.getMessages(from);
    const messages = stored.map(({ message }) => message);
    const compression = await engine.compress(inputOf(messages, { reason: 'command' }));
    const kept = (compression?.messages ?? []).map((each) =>
      'index' in each ? { copyOf: stored[each.index]?.id ?? 0 } : { message: each.message },
    );
    await store.splitSession(from, { id: to, source: 'cli', startedAt: 0 }, kept);
    const body =
      applyCompression(messages, compression?.messages ?? [])
        .map(findReplacement)
        .find(Boolean)?.body ?? '';
    return [...body.matchAll(/^- #(\d+): (.*)$/gm)].map(([, number, words]) => ({ number: Number(number), words }));
  }

  async function expectFound(sessionId: string, named: readonly { number: number; words: string | undefined }[]) {
    expect(named.length).toBeGreaterThan(3);
    const removed = createRemovedMessages(store);
    for (const { number, words } of named) {
      const [read] = await removed.read(sessionId, number, number);
      expect(read?.message.content).toBe(words);
    }
  }

  verifies('CTX-8', 'are read back from the store unchanged after several compressions', async () => {
    for (const round of [0, 1, 2]) {
      await store.appendMessages(`s${round}`, longConversation(8));
      await expectFound(`s${round + 1}`, await compress(`s${round}`, `s${round + 1}`));
    }
  });

  verifies('CTX-8', 'are those of the branch, without later messages of its parent', async () => {
    await store.appendMessages('s0', longConversation(6));
    await store.branchSession('s0', { id: 'branch', source: 'cli', startedAt: 0 });
    await store.appendMessages('s0', longConversation(3));
    await store.appendMessages('branch', longConversation(6));
    await expectFound('child', await compress('branch', 'child'));
  });
});
