import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/contracts/index.ts';
import { openStore } from '../../src/runtime/index.ts';
import { createTemporaryHome, startHermes, type TemporaryHome } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly, someOf } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());

const hermes = (...args: string[]) => runHermes(['sessions', ...args], { home });
/** Overwrites a part of the database, as a failing disk would. */
function damage(): Buffer {
  const file = join(home.path, 'state.db');
  const database = new DatabaseSync(file);
  const sql = "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno";
  const pages = database.prepare(sql).all() as { pageno: number }[];
  database.close();
  const bytes = readFileSync(file);
  const page = pages.at(-1)?.pageno ?? 0;
  bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
  writeFileSync(file, bytes);
  return bytes;
}

const DAY = 86_400_000;

async function withStore<T>(use: (store: SessionStore) => Promise<T>): Promise<T> {
  const store = await openStore({ home: home.path });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Creates two sessions: an old one from another source that has ended, and one of today. */
async function fill(): Promise<void> {
  await withStore(async (store) => {
    const startedAt = Date.now() - 100 * DAY;
    await store.importSession({
      format: 'hermes-session',
      version: 1,
      turns: [],
      calls: [],
      blobs: [],
      session: {
        id: 'old-1',
        source: 'telegram',
        startedAt,
        endedAt: startedAt + 2000,
        endReason: 'reset',
        title: 'Whales',
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
  it('lists the newest first, filtered by source, also as JSON', async () => {
    expect(await hermes('list')).toMatchObject({ exitCode: 0, stdout: 'There are no sessions yet.\n', stderr: '' });
    expect((await hermes('list', '--json')).stdout).toBe('[]\n');
    await fill();
    const { stdout } = await hermes('list');
    expect(stdout).toMatch(/^new-1 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}Walrus work\nold-1 .* {2}Whales\n$/);
    expect((await hermes('list', '--limit', '1')).stdout).not.toContain('old-1');
    const listed = JSON.parse((await hermes('list', '--source', 'telegram', '--json')).stdout) as unknown;
    expect(listed).toMatchObject([{ id: 'old-1', source: 'telegram', title: 'Whales', message_count: 1 }]);
    // The option may be at any position.
    for (const args of [
      ['--json', 'sessions', 'list'],
      ['sessions', '--json', 'list'],
    ]) {
      expect(JSON.parse((await runHermes(args, { home })).stdout)).toHaveLength(2);
    }
  });
});

describe('sessions show', () => {
  it('shows a session by id, start of an id or title', async () => {
    await fill();
    for (const reference of ['new-1', 'new-', 'Walrus work']) {
      const { exitCode, stdout } = await hermes('show', reference);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^new-1\n/);
      expect(stdout).toContain('● terminal {"command":"ls"}');
      // A tool result must not send escape sequences to the terminal.
      expect(stdout).toContain('iceberg');
    }
    const shown = JSON.parse((await hermes('show', 'new-1', '--json')).stdout) as { messages: unknown[] };
    expect(shown).toMatchObject({ id: 'new-1', title: 'Walrus work', tool_call_count: 1 });
    expect(shown.messages[1]).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'c1', name: 'terminal' }] });
    expect(shown.messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'c1', tool_name: 'terminal' });
  });

  it('gives a hint for an unknown session', async () => {
    const { exitCode, stdout, stderr } = await hermes('show', 'nothing');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/There is no session "nothing"\.\n.*hermes sessions list/);
    const record = JSON.parse((await hermes('show', 'nothing', '--json')).stdout) as object;
    expect(record).toMatchObject({
      type: 'result',
      exit_code: 2,
      error: { message: 'There is no session "nothing".' },
    });
  });
});

describe('sessions search', () => {
  verifies('STORE-4', 'finds messages and prints each hit with its context', async () => {
    await fill();
    const hits = JSON.parse((await hermes('search', 'walrus', '--role', 'user', '--json')).stdout) as object[];
    expect(hits).toEqual([
      {
        id: expect.any(Number),
        session_id: 'new-1',
        role: 'user',
        timestamp: expect.any(Number),
        partial: false,
        source: 'cli',
        snippet: expect.stringContaining('the >>>walrus<<< sleep'),
        context: { after: { role: 'assistant', content: expect.any(String) } },
        model: 'm',
        session_started_at: expect.any(Number),
      },
    ]);
    expect((await hermes('search', 'whale')).stdout).toContain('how heavy is a >>>whale<<<');
    const nearest = (await hermes('search', 'weights of whales')).stdout;
    expect(nearest).toMatch(/^No message has all words; nearest hits:\n/);
    expect(nearest).toContain('how heavy is a >>>whale<<<');
    expect((await hermes('search', '--source', 'cli', 'whale')).stdout).toBe('No matches.\n');
    expect((await hermes('search', '🎉')).stdout).toContain('must contain letters or digits');
    expect((await hermes('search', '"unbalanced (AND', '--json')).exitCode).toBe(0);
    expect((await hermes('search', 'whale', '--role', 'nobody')).exitCode).toBe(2);
  });
});

describe('sessions export and import', () => {
  const file = (name: string) => join(home.workspace, name);

  it('transfers everything to another home as JSON lines', async () => {
    await fill();
    expect((await hermes('export', 'all.jsonl')).stdout).toBe(`Wrote 2 sessions to ${file('all.jsonl')}.\n`);
    expect(statSync(file('all.jsonl')).mode & 0o777).toBe(0o600);
    const text = readFileSync(file('all.jsonl'), 'utf8');
    expect((await hermes('export', '-')).stdout).toBe(text);
    await using other = await createTemporaryHome();
    const there = (...args: string[]) => runHermes(['sessions', ...args], { home: other, input: text });
    expect((await there('import', file('all.jsonl'))).stdout).toBe('Imported 2 sessions with 5 messages.\n');
    const again = { imported: 0, skipped: 2, refused: 0, messages: 0, notes: [] };
    expect(JSON.parse((await there('import', '-', '--json')).stdout)).toEqual(again);
    expect((await there('export', '-')).stdout).toBe(text);
  });

  it('exports one session, or those of a source', async () => {
    await fill();
    const one = await hermes('export', 'one.jsonl', '--session', 'Whales', '--json');
    expect(JSON.parse(one.stdout)).toEqual({ file: file('one.jsonl'), sessions: 1, messages: 1 });
    const line = (await hermes('export', '-', '--source', 'cli')).stdout;
    expect(line).toMatch(/^\{.*"id":"new-1".*\}\n$/);
    const both = await hermes('export', '-', '--source', 'cli', '--session', 'Whales');
    expect(both).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('writes Markdown and HTML according to the file name or the option', async () => {
    await fill();
    await hermes('export', 'one.md', '--session', 'new-1');
    const text = readFileSync(file('one.md'), 'utf8');
    expect(text).toMatch(/^# Walrus work\n\n- \*\*session\*\*: new-1\n/);
    expect(text).toContain('> The walrus sleeps on ice.');
    expect(text).toContain('```text\niceberg\n```');
    expect((await hermes('export', '-', '--format', 'markdown', '--session', 'new-1')).stdout).toBe(text);
    expect((await hermes('export', 'all.html')).stdout).toContain('Wrote 2 sessions');
    const page = readFileSync(file('all.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('<h1>2 sessions</h1>');
    expect(page.indexOf('Whales')).toBeLessThan(page.indexOf('Walrus work'));
    expect((await hermes('export', '-', '--format', 'pdf')).exitCode).toBe(2);
    expect(readdirSync(home.workspace).sort()).toEqual(['all.html', 'one.md']);
  });

  verifies('STORE-5', 'writes each message of a lineage once', async () => {
    await fill();
    await withStore(async (store) => {
      const [first] = await store.getMessages('new-1');
      const child = { id: 'new-2', source: 'cli', startedAt: Date.now() };
      await store.splitSession('new-1', child, [{ copyOf: first?.id ?? 0 }]);
    });
    for (const format of ['markdown', 'html', 'jsonl']) {
      const { stdout } = await hermes('export', '-', '--format', format, '--session', 'new-2', '--lineage');
      expect([format, stdout.split('where does the walrus sleep').length]).toEqual([format, 2]);
      expect(stdout).toContain('new-2');
    }
    // A single session is exported completely.
    expect((await hermes('export', '-', '--session', 'new-2')).stdout).toContain('where does the walrus sleep');
    expect((await hermes('export', '-', '--lineage')).exitCode).toBe(2);
  });

  it('overwrites nothing, and leaves nothing behind if it cannot write', async () => {
    await fill();
    const before = readFileSync(join(home.path, 'state.db'));
    const over = await hermes('export', join(home.path, 'state.db'), '--format', 'jsonl');
    expect(over.exitCode).toBe(2);
    expect(over.stderr).toContain('already exists; nothing was written');
    expect(readFileSync(join(home.path, 'state.db')).equals(before)).toBe(true);
    const nowhere = await hermes('export', 'missing/all.jsonl');
    expect(nowhere.exitCode).toBe(1);
    expect(readdirSync(home.workspace)).toEqual([]);
    expect(nowhere.stderr).toMatch(/Cannot write \S+missing\/all\.jsonl.*\n.*Choose an existing folder/);
  });

  it('imports the readable part of a damaged export, and reports the skipped lines', async () => {
    await fill();
    const { stdout } = await hermes('export', '-', '--session', 'old-1');
    const foreign = JSON.stringify({ ...JSON.parse(stdout), turns: [{}] });
    writeFileSync(file('bad.jsonl'), `no json\n${foreign}\n${stdout}\n`);
    await hermes('delete', 'old-1', '--yes');
    const damaged = await hermes('import', 'bad.jsonl');
    expect(damaged.exitCode).toBe(1);
    expect(damaged.stdout).toMatch(/Imported 1 session with .*; 2 lines could not be read\.\n/);
    expect(damaged.stdout).toMatch(/Skipped line 1 of \S+bad\.jsonl: it is not JSON\./);
    expect(damaged.stdout).toMatch(/Skipped line 2 of \S+bad\.jsonl: .*"turns\[0\]\.taskId" is missing/);
    expect((await hermes('show', 'old-1')).exitCode).toBe(0);
    expect((await hermes('import', 'missing')).stderr).toMatch(/Cannot read \S+missing.*\n.*hermes sessions export/);
    writeFileSync(file('notes.txt'), 'a\nb\n');
    expect((await hermes('import', 'notes.txt')).stderr).toMatch(/line 1 .*not JSON.*\n.*hermes sessions export/);
    writeFileSync(file('empty'), '');
    expect((await hermes('import', 'empty')).stdout).toBe('Imported 0 sessions with 0 messages.\n');
  });

  it('ends at a signal, and keeps the imported sessions', async () => {
    await fill();
    const { stdout } = await hermes('export', '-', '--session', 'old-1');
    await hermes('delete', 'old-1', '--yes');
    const running = startHermes(['sessions', 'import', '-'], { home });
    running.write(stdout);
    await expect.poll(() => withStore((store) => store.getSession('old-1'))).toBeDefined();
    running.kill();
    const ended = await running.exited;
    expect(ended).toMatchObject({ exitCode: 130, stdout: '' });
    expect(ended.stderr).toBe('hermes: Stopped by SIGTERM; completed steps are kept.\n');
  });

  verifies('STORE-1', 'imports the database of a later version of the original without writing to it', async () => {
    const state = join(home.path, 'state.db');
    const database = new DatabaseSync(state);
    database.exec(`CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (12);
      CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, parent_session_id TEXT, started_at REAL,
        ended_at REAL, title TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT,
        timestamp REAL);
      INSERT INTO sessions VALUES ('theirs', 'cli', 'm', NULL, 5, NULL, 'From before');
      INSERT INTO messages VALUES (1, 'theirs', 'user', 'a narwhal', NULL, 6);`);
    database.close();
    const before = readFileSync(state);
    expect((await hermes('import', state)).stdout).toBe('Imported 1 session with 1 message.\n');
    expect((await hermes('search', 'narwhal')).stdout).toContain('>>>narwhal<<<');
    expect((await hermes('import', state)).stdout).toContain('1 session already exists');
    expect(existsSync(join(home.path, 'hermes.db'))).toBe(true);
    expect(readFileSync(state).equals(before)).toBe(true);
  });
});

describe('sessions rename', () => {
  it('cleans the title, and rejects a duplicate or empty one', async () => {
    await fill();
    expect((await hermes('rename', 'old-1', ' Big ', 'fish\n')).stdout).toBe('Renamed session old-1 to "Big fish".\n');
    const json = await hermes('rename', 'Big fish', 'Bigger', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ id: 'old-1', title: 'Bigger' });
    expect(await hermes('rename', 'old-1', 'Walrus work')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await hermes('rename', 'old-1', ' ')).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await hermes('show', 'Bigger')).stdout).toMatch(/^old-1\n/);
  });
});

describe('automatic maintenance of the store', () => {
  it('is reported: a damaged search index is rebuilt, an old file is migrated', async () => {
    await fill();
    const database = new DatabaseSync(join(home.path, 'state.db'));
    (database as { enableDefensive?(active: boolean): void }).enableDefensive?.(false);
    database.exec("UPDATE messages_fts_data SET block = X'00112233445566'; UPDATE hermes_ts_version SET version = 2");
    database.close();
    const { exitCode, stdout, stderr } = await hermes('search', 'walrus', '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, [{ session_id: 'new-1' }, { session_id: 'new-1' }]]);
    expect(stderr).toMatch(
      /Migrating \S+state\.db to the current version.*\n.*is damaged and is being rebuilt.*\n.*no message was lost\./,
    );
    expect((await hermes('search', 'walrus')).stderr).toBe('');
  });
});

describe('one-shot sessions', () => {
  verifies('STORE-3', 'are closed after the answer, so that pruning finds them, and can be resumed', async () => {
    const ask = (...args: string[]) => runHermes(['--provider', 'demo', '-z', 'hi', ...args], { home });
    expect((await ask()).exitCode).toBe(0);
    expect((await ask('--continue')).exitCode).toBe(0);
    const [session] = JSON.parse((await hermes('list', '--json')).stdout) as { ended_at: number; end_reason: string }[];
    expect(session).toMatchObject({ end_reason: 'one_shot', message_count: 4 });
    expect((await hermes('prune', '--older-than', '90', '--yes')).stdout).toContain('No sessions to delete');
    const database = new DatabaseSync(join(home.path, 'state.db'));
    database.exec('UPDATE sessions SET started_at = started_at - 9e6; UPDATE messages SET timestamp = timestamp - 9e6');
    database.close();
    expect((await hermes('prune', '--older-than', '90', '--yes')).stdout).toBe('Deleted 1 session with 4 messages.\n');
  });
});

describe('titles and texts from other programs', () => {
  it('are shown without their escape sequences', async () => {
    await withStore(async (store) => {
      await store.createSession({ id: 'evil\u001b]0;x\u0007\u001b[2J', source: 'a\u001b[31m', startedAt: 1 });
      await store.appendMessages('evil\u001b]0;x\u0007\u001b[2J', [{ role: 'user', content: 'walrus' }]);
    });
    for (const args of [['list'], ['show', 'evil'], ['search', 'walrus'], ['watch', 'evil'], ['branch', 'evil']]) {
      const { stdout, stderr } = await hermes(...args);
      expect(stdout + stderr).toContain('evil');
      expect(stdout + stderr).not.toContain('\u001b');
    }
  });
});

describe('sessions branch', () => {
  verifies('STORE-7', 'creates a session with the same messages, and leaves the original unchanged', async () => {
    await fill();
    const { stdout } = await hermes('branch', 'Walrus work');
    expect(stdout).toMatch(/^Created a branch of new-1:\n(\S+) "Walrus work #2"\nContinue with: hermes --resume \1\n$/);
    const made = JSON.parse((await hermes('branch', 'new-1', '--json')).stdout) as object;
    expect(made).toMatchObject({ title: 'Walrus work #3', parent_session_id: 'new-1', messages: 4 });
    expect((await hermes('show', 'Walrus work')).stdout).toMatch(/^new-1\n/);
    expect((await hermes('show', 'Walrus work #2')).stdout).toContain('branch of    new-1');
    expect((await hermes('branch', 'nothing')).exitCode).toBe(2);
  });
});

describe('sessions watch', () => {
  const HOLDER = { pid: process.pid, host: 'here', surface: 'cli' };

  verifies('STORE-7', 'prints the messages that another process stores until its turn ends', async () => {
    await fill();
    expect(await hermes('watch', 'new-1')).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('No turn is running in session new-1'),
    });
    await withStore(async (store) => {
      const outcome = await store.acquireLease('new-1', HOLDER, 60_000);
      await store.appendMessages('new-1', [{ role: 'user', content: 'and the seal?' }]);
      const watching = startHermes(['sessions', 'watch', 'new-1'], { home });
      const lines = startHermes(['sessions', 'watch', 'new-1', '--json'], { home });
      await watching.waitForOutput('is in use: process');
      await watching.waitForOutput('and the seal?');
      await lines.waitForOutput('and the seal?');
      await store.appendMessages('new-1', [{ role: 'assistant', content: 'On the beach.' }]);
      await watching.waitForOutput('On the beach.');
      if (outcome.acquired) await store.releaseLease(outcome.lease);
      expect((await watching.exited).exitCode).toBe(0);
      const { stdout, stderr } = await lines.exited;
      const shown = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(shown).toMatchObject([{ role: 'user' }, { role: 'assistant', content: 'On the beach.' }]);
      expect(stderr).toContain('The turn has ended.');
    });
  });

  it('continues with later turns on request', async () => {
    await fill();
    const watching = startHermes(['sessions', 'watch', 'new-1', '--follow'], { home });
    await watching.waitForOutput('waiting for the next one');
    await withStore((store) => store.appendMessages('new-1', [{ role: 'user', content: 'later' }]));
    await watching.waitForOutput('later');
    watching.kill('SIGINT');
    expect((await watching.exited).exitCode).toBe(130);
  });
});

describe('sessions delete', () => {
  it('deletes with --yes, and refuses if it cannot ask', async () => {
    await fill();
    const refused = await hermes('delete', 'old-1');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('Add --yes to confirm.');
    expect((await hermes('delete', 'Whales', '--yes')).stdout).toBe('Deleted 1 session with 1 message.\n');
    expect((await hermes('show', 'old-1')).exitCode).toBe(2);
  });

  it('deletes descendants only on request', async () => {
    await fill();
    await withStore((store) =>
      store.createSession({ id: 'child', source: 'cli', startedAt: Date.now(), parentSessionId: 'new-1' }),
    );
    const refused = await hermes('delete', 'new-1', '--yes');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('has descendants (child)');
    expect(refused.stderr).toContain('--with-descendants');
    const done = await hermes('delete', 'new-1', '--with-descendants', '--yes', '--json');
    expect(JSON.parse(done.stdout)).toEqual({ session_ids: ['child', 'new-1'], messages: 4 });
  });

  it('reports the remaining parts of a conversation whose newest session was deleted', async () => {
    await fill();
    await withStore((store) => store.splitSession('new-1', { id: 'next', source: 'cli', startedAt: Date.now() }, []));
    const done = await hermes('delete', 'next', '--yes');
    expect(done.stdout).toContain(
      'The session it continued still exists; to delete all of them, run: hermes sessions delete new-1 --with-descendants',
    );
  });

  it('asks in a terminal, where only yes is accepted', fullDoseOnly, async () => {
    await fill();
    const no = startTerminal(home, ['sessions', 'delete', 'old-1']);
    await no.see('[y/N]');
    no.type('\r');
    await no.see('nothing was changed.');
    expect(await no.exited).toBe(1);
    const left = startTerminal(home, ['sessions', 'delete', 'old-1']);
    await left.see('[y/N]');
    left.type('\u0003');
    expect(await left.exited).toBe(130);
    const yes = startTerminal(home, ['sessions', 'delete', 'old-1']);
    await yes.see('Delete session old-1 (Whales)');
    yes.type('y\r');
    await yes.see('Deleted 1 session');
    expect(await yes.exited).toBe(0);
  });
});

describe('sessions prune', () => {
  it('deletes sessions that ended long enough ago', async () => {
    await fill();
    expect(await hermes('prune', '--older-than', '90')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await hermes('prune', '--yes')).toMatchObject({ exitCode: 2, stdout: '' });
    const none = await hermes('prune', '--older-than', '90', '--source', 'cli', '--yes');
    expect(none.stdout).toBe('No sessions to delete.\n');
    const { stdout } = await hermes('prune', '--older-than', '90', '--yes', '--json');
    expect(JSON.parse(stdout)).toEqual({ session_ids: ['old-1'], messages: 1 });
    expect((await hermes('list')).stdout).toMatch(/^new-1.*\n$/);
  });
});

describe('sessions stats', () => {
  it('prints the totals', async () => {
    await fill();
    const { stdout } = await hermes('stats');
    expect(stdout).toMatch(/sessions +2\nmessages +5 \(user 2, assistant 2, tool 1\)\n/);
    const stats = JSON.parse((await hermes('stats', '--json')).stdout) as { bytes: number };
    // The old session used tokens of unknown cost.
    expect(stdout).toMatch(/cost +unknown, 1 call without a price\n/);
    expect(stats).toMatchObject({ sessions: 2, messages: { user: 2, assistant: 2, tool: 1 }, usd: null, unpriced: 1 });
    expect(stats.bytes).toBeGreaterThan(4096);
  });
});

describe('a search that cannot cover everything', () => {
  it('says so next to its hits, and keeps the JSON valid', async () => {
    await fill();
    const database = new DatabaseSync(join(home.path, 'state.db'));
    // Another program has written and still holds a write transaction, so the index cannot catch up.
    database.exec(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('new-1', 'user', '海象', 1);
      BEGIN IMMEDIATE`);
    // A separate process, because SQLite closes no file in a process that holds a lock on it.
    const search = (...args: string[]) => runHermes(['sessions', 'search', ...args], { home, spawn: true });
    const text = await search('walrus');
    expect(text).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('>>>walrus<<<') });
    expect(text.stderr).toContain('Not all messages were searched');
    expect(text.stderr).toContain('hermes sessions optimize');
    const json = await search('walrus', '--json');
    expect(JSON.parse(json.stdout)).toBeInstanceOf(Array);
    expect(json.stderr).toContain('Not all messages were searched');
    database.close();
    expect(await hermes('search', '海象')).toMatchObject({ stderr: '', stdout: expect.stringContaining('>>>海象<<<') });
  });
});

describe('sessions optimize', () => {
  it('frees the space of deleted sessions, and the others are still found', async () => {
    await fill();
    await withStore(async (store) => {
      await store.createSession({ id: 'large', source: 'cli', startedAt: Date.now() });
      await store.appendMessages('large', [{ role: 'user', content: 'words and more words '.repeat(50_000) }]);
    });
    await hermes('delete', 'large', '--yes');
    const report = JSON.parse((await hermes('optimize', '--json')).stdout) as Record<string, number>;
    expect(report['bytes_after']).toBeLessThan(report['bytes_before'] ?? 0);
    expect(report['search_complete']).toBe(true);
    expect((await hermes('search', 'walrus')).stdout).toContain('>>>walrus<<<');
    expect((await hermes('optimize')).stdout).toMatch(/^Optimised \S+state\.db: .* before, .* after\.\n$/);
  });
});

describe('a damaged database', () => {
  const file = () => join(home.path, 'state.db');
  const doctor = (...args: string[]) => runHermes(['doctor', ...args], { home });

  it('is detected by the doctor and repaired into a new file', async () => {
    expect((await hermes('repair')).stdout).toContain('does not exist yet');
    await fill();
    await withStore(async (store) => {
      const messages = Array.from(
        { length: 200 },
        (_, index) => ({ role: 'user', content: `${index} `.repeat(50) }) as const,
      );
      await store.appendMessages('new-1', messages);
    });
    expect((await hermes('repair')).stdout).toContain('is intact; nothing was changed');
    const damaged = damage();
    const found = await doctor();
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toMatch(/✗ The session database \S+ is damaged.*\n {2}Run: hermes sessions repair/);
    const { exitCode, stdout } = await hermes('repair');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/messages: \d+ recovered, \d+ lost/);
    expect(readFileSync(file()).equals(damaged)).toBe(true);
    // The suggested commands work as printed.
    const commands = stdout.split('\n').filter((line) => line.startsWith('  mv '));
    execFileSync('sh', ['-ec', commands.join('\n')]);
    expect((await doctor()).exitCode).toBe(0);
    expect((await hermes('search', 'walrus')).stdout).toContain('>>>walrus<<<');
  });

  it('with only a damaged search index gets a new index', async () => {
    await fill();
    const database = new DatabaseSync(file());
    (database as { enableDefensive?(active: boolean): void }).enableDefensive?.(false);
    database.exec("UPDATE messages_fts_data SET block = X'00112233445566'");
    database.close();
    const report = JSON.parse((await doctor('--json')).stdout) as { ok: boolean; findings: object[] };
    expect(report.ok).toBe(false);
    expect(report.findings.at(-1)).toMatchObject({ check: 'database', status: 'wrong' });
    expect((await hermes('repair')).stdout).toContain('has been rebuilt; no message was lost');
    expect((await hermes('search', 'walrus')).stdout).toContain('>>>walrus<<<');
    expect((await doctor()).exitCode).toBe(0);
  });
});

describe('a signal during a long operation', () => {
  for (const command of someOf([['sessions', 'repair'], ['sessions', 'optimize'], ['doctor']], 3)) {
    it(`ends "hermes ${command.join(' ')}" without changes`, async () => {
      await fill();
      const file = join(home.path, 'state.db');
      // Another program holds the lock, so the command is still waiting when the signal arrives.
      const other = new DatabaseSync(file);
      other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      const running = startHermes(command, { home, input: '' });
      // The command handles signals once it has opened the file, which can be observed from outside only on Linux.
      while (!isOpenIn(running.child.pid ?? 0, file)) await new Promise((resolve) => setTimeout(resolve, 5));
      running.kill('SIGINT');
      const ended = await running.exited;
      expect(ended).toMatchObject({ exitCode: 130, stdout: '' });
      expect(ended.stderr).toContain('Stopped by SIGINT; completed steps are kept.');
      other.close();
      expect((await runHermes(['doctor'], { home })).exitCode).toBe(0);
      expect((await hermes('search', 'walrus')).stdout).toContain('>>>walrus<<<');
      expect(readdirSync(home.path).filter((name) => name.includes('repaired'))).toEqual([]);
    });
  }
});

function isOpenIn(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === file;
    } catch {
      return false;
    }
  });
}

describe('doctor', () => {
  const doctor = () => runHermes(['doctor'], { home });

  it('finds nothing wrong with a new or a missing home', async () => {
    await runHermes(['--provider', 'demo', '-z', 'hello'], { home });
    expect(await doctor()).toMatchObject({ exitCode: 0, stderr: '' });
    rmSync(home.path, { recursive: true });
    expect(await doctor()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(existsSync(home.path)).toBe(false);
  });

  it('accepts a folder that others can read if its private files are closed to them', async () => {
    await runHermes(['--provider', 'demo', '-z', 'hello'], { home });
    for (const folder of [home.userHome, home.path]) chmodSync(folder, 0o755);
    expect(await doctor()).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('reports files that others can read, and errors in the configuration', async () => {
    await fill();
    for (const folder of [home.userHome, home.path]) chmodSync(folder, 0o755);
    chmodSync(join(home.path, 'state.db'), 0o644);
    await home.write('config.yaml', 'model: [\n');
    const { exitCode, stdout } = await doctor();
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`Other users can read ${join(home.path, 'state.db')} (mode 644).`);
    expect(stdout).toContain(`chmod go-rwx '${join(home.path, 'state.db')}'`);
    expect(stdout).not.toContain(`'${home.path}'`);
    expect(stdout).toMatch(/✗ .*config\.yaml/);
    expect(stdout).toMatch(/✓ The session database \S+ is intact/);
  });
});

describe('insights', () => {
  const insights = (...args: string[]) => runHermes(['insights', ...args], { home });

  it('shows the activity and the cost of the last days', async () => {
    expect((await insights()).stdout).toBe('The last 30 days\n  No activity.\n');
    await fill();
    await withStore((store) =>
      store.recordCall('new-1', {
        taskId: 't',
        provider: 'custom',
        model: 'test-model',
        baseUrl: '',
        startedAt: Date.now(),
        durationMs: 5,
        usage: { input: 1000, output: 200, cacheRead: 3000, cacheWrite: 0, reasoning: 50 },
        cost: { usd: 1.5, status: 'actual' },
        outcome: 'ok',
      }),
    );
    const { exitCode, stdout } = await insights('--days', '7');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^The last 7 days\n {2}sessions +1\n/);
    expect(stdout).toMatch(/cache hit rate +75 %/);
    expect(stdout).toMatch(/test-model \(custom\) +1 +1 +4\.2k +75 % +\$1\.50/);
    expect(stdout).toMatch(/terminal +1 +0 +0 %/);
    const all = JSON.parse((await insights('--days', '365', '--source', 'telegram', '--json')).stdout) as object;
    expect(all).toMatchObject({ days: 365, source: 'telegram', sessions: 1, by_model: expect.any(Array) });
  });
});
