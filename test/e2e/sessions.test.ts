import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/contracts/index.ts';
import { openStore } from '../../src/runtime/index.ts';
import { createTemporaryHome, runHermes, type TemporaryHome } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());

const hermes = (...args: string[]) => runHermes(['sessions', ...args], { home });
const DAY = 86_400_000;

async function withStore<T>(use: (store: SessionStore) => Promise<T>): Promise<T> {
  const store = await openStore({ home: home.path });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Two sessions: an old one from elsewhere that has ended, and one of today. */
async function fill(): Promise<void> {
  await withStore(async (store) => {
    const startedAt = Date.now() - 100 * DAY;
    await store.importSession({
      ...{ format: 'hermes-session', version: 1, turns: [], calls: [], blobs: [] },
      session: {
        ...{
          id: 'old-1',
          source: 'telegram',
          startedAt,
          endedAt: startedAt + 2000,
          endReason: 'reset',
          title: 'Whales',
        },
        usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
      },
      messages: [{ timestamp: startedAt + 1000, message: { role: 'user', content: 'how heavy is a whale' } }],
    });
    await store.createSession({ id: 'new-1', source: 'cli', startedAt: Date.now(), model: 'm', title: 'Walrus work' });
    await store.appendMessages('new-1', [
      { role: 'user', content: 'where does the walrus sleep\u2028at night' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' }] },
      { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: 'ice\u001b[31mberg' },
      { role: 'assistant', content: 'The walrus sleeps on ice.' },
    ]);
  });
}

describe('sessions list', () => {
  it('shows the newest first, of one source where asked, also as JSON', async () => {
    expect(await hermes('list')).toMatchObject({ exitCode: 0, stdout: 'There are no sessions yet.\n', stderr: '' });
    expect((await hermes('list', '--json')).stdout).toBe('[]\n');
    await fill();
    const { stdout } = await hermes('list');
    expect(stdout).toMatch(/^new-1 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}Walrus work\nold-1 .* {2}Whales\n$/);
    expect((await hermes('list', '--limit', '1')).stdout).not.toContain('old-1');
    const listed = JSON.parse((await hermes('list', '--source', 'telegram', '--json')).stdout) as unknown;
    expect(listed).toMatchObject([{ id: 'old-1', source: 'telegram', title: 'Whales', message_count: 1 }]);
  });
});

describe('sessions show', () => {
  it('shows a session by id, beginning of an id or title', async () => {
    await fill();
    for (const reference of ['new-1', 'new-', 'Walrus work']) {
      const { exitCode, stdout } = await hermes('show', reference);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^new-1\n/);
      expect(stdout).toContain('● terminal {"command":"ls"}');
      // What a tool returned does not get to paint the terminal.
      expect(stdout).toContain('iceberg');
    }
    const shown = JSON.parse((await hermes('show', 'new-1', '--json')).stdout) as { messages: unknown[] };
    expect(shown).toMatchObject({ id: 'new-1', title: 'Walrus work', tool_call_count: 1 });
    expect(shown.messages[1]).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'c1', name: 'terminal' }] });
    expect(shown.messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'c1', tool_name: 'terminal' });
  });

  it('says what to do where there is no such session', async () => {
    const { exitCode, stdout, stderr } = await hermes('show', 'nothing');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/There is no session "nothing"\.\n.*hermes sessions list/);
  });
});

describe('sessions search', () => {
  verifies('STORE-4', 'finds messages and prints each hit in its surroundings', async () => {
    await fill();
    const hits = JSON.parse((await hermes('search', 'walrus', '--role', 'user', '--json')).stdout) as object[];
    expect(hits).toEqual([
      {
        ...{ id: expect.any(Number), session_id: 'new-1', role: 'user', timestamp: expect.any(Number), source: 'cli' },
        snippet: expect.stringContaining('the >>>walrus<<< sleep'),
        context: { after: { role: 'assistant', content: expect.any(String) } },
        ...{ model: 'm', session_started_at: expect.any(Number) },
      },
    ]);
    expect((await hermes('search', 'whale')).stdout).toContain('how heavy is a >>>whale<<<');
    expect((await hermes('search', '--source', 'cli', 'whale')).stdout).toBe('Nothing was found.\n');
    expect((await hermes('search', '"unbalanced (AND', '--json')).exitCode).toBe(0);
    expect((await hermes('search', 'whale', '--role', 'nobody')).exitCode).toBe(2);
  });
});
