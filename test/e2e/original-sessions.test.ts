import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { writeOriginalDatabase } from '../support/original/original-home.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const databaseFile = () => join(cli.home.path, 'state.db');
const run = (...args: string[]) => runHermes(args, { home: cli.home });

async function json(...args: string[]) {
  const { stdout, stderr, exitCode } = await run(...args, '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** What a version of the original has; missing columns are what changes between the versions. */
const VERSIONS = [
  { schema: 7 },
  { schema: 8 },
  { schema: 11 },
  { schema: 14 },
  { schema: 16 },
  { schema: 23 },
  { schema: 25 },
  { schema: 26 },
  { schema: 30 },
  { schema: 26, without: ['sessions.title', 'sessions.cwd', 'messages.tool_name', 'messages.reasoning_content'] },
  { schema: 30, without: ['messages.compacted', 'sessions.parent_session_id', 'sessions.end_reason'] },
];

describe('sessions of the original', () => {
  for (const version of VERSIONS) {
    const left = version.without === undefined ? '' : ` without ${version.without.length} columns`;
    verifies('STORE-1', `of schema ${version.schema}${left} are found, imported and searched`, async () => {
      await cli.configure();
      writeOriginalDatabase(databaseFile(), version);
      const before = readFileSync(databaseFile());
      const found = { file: databaseFile(), schema: version.schema, sessions: 3, missing: 3 };
      expect(await json('status')).toMatchObject({ original: found });
      const { imported, refused } = await json('sessions', 'import', databaseFile());
      expect([imported, refused]).toEqual([3, 0]);
      expect(await json('status')).toMatchObject({ original: { ...found, missing: 0 } });
      expect(await json('sessions', 'import', databaseFile())).toMatchObject({ imported: 0, skipped: 3 });
      expect((await run('sessions', 'search', 'zebra')).stdout).toContain('tg_1');
      const shown = (await run('sessions', 'show', '20260401_100500_bbbbbb')).stdout;
      expect(shown).toContain('replaces earlier messages');
      expect(shown).not.toMatch(/ user\n\[CONTEXT COMPACTION/);
      expect((await run('sessions', 'list')).stdout).not.toContain('CONTEXT COMPACTION');
      expect(readFileSync(databaseFile()).equals(before)).toBe(true);
    });
  }

  it('in schema 6 are shared, and their summaries are not shown as words of the user', async () => {
    await cli.configure();
    writeOriginalDatabase(databaseFile(), { schema: 6 });
    expect(await json('status')).not.toHaveProperty('original');
    expect((await run('sessions', 'show', '20260401_100500_bbbbbb')).stdout).toContain('replaces earlier messages');
    expect((await run('sessions', 'list')).stdout).not.toContain('CONTEXT COMPACTION');
  });

  it('keep their title, folder, prompt and what was compacted in place', async () => {
    await cli.configure();
    writeOriginalDatabase(databaseFile(), { schema: 30 });
    await run('sessions', 'import', databaseFile());
    const { stdout } = await run('sessions', 'export', '-');
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { session: { id: string } });
    const byId = new Map(records.map((record) => [record.session.id, record]));
    expect(byId.get('20260401_100000_aaaaaa')?.session).toMatchObject({
      title: 'Walrus',
      systemPrompt: 'Be kind.',
      origin: { workingDirectory: '/srv/walrus' },
    });
    expect(byId.get('tg_1')).toMatchObject({
      session: { parentSessionId: 'tg_1_compacted' },
      messages: [{ message: { content: 'zebra question' } }],
    });
    expect(byId.get('tg_1_compacted')).toMatchObject({ messages: [{ message: { content: 'old giraffe' } }] });
    expect((await run('sessions', 'search', 'giraffe')).stdout).toContain('giraffe');
    expect((await run('sessions', 'search', 'undone')).stdout).not.toContain('tg_1');
  });

  verifies('STORE-1', 'are read with the write-ahead log of a running original, which is not changed', async () => {
    await cli.configure();
    const running = writeOriginalDatabase(databaseFile(), { schema: 26, keepOpen: true });
    const bytes = () => [databaseFile(), `${databaseFile()}-wal`].map((file) => readFileSync(file).toString('base64'));
    const before = bytes();
    try {
      expect(await json('sessions', 'import', databaseFile())).toMatchObject({ imported: 3 });
      expect(bytes()).toEqual(before);
      running?.exec("INSERT INTO sessions (id, source, started_at) VALUES ('later', 'cli', 400)");
    } finally {
      running?.close();
    }
    expect(await json('sessions', 'import', databaseFile())).toMatchObject({ imported: 1, skipped: 3 });
  });

  it('are mentioned once by a run, and always by doctor and session_search', async () => {
    await cli.configure();
    writeOriginalDatabase(databaseFile(), { schema: 26 });
    const search = { toolCalls: [{ name: 'session_search', arguments: '{"query":"walrus"}' }] };
    cli.server.setScript([search, { text: 'Nothing.' }, { text: 'Hello.' }]);
    const first = await run('-z', 'did we talk about a walrus?');
    expect(first.stderr).toContain(`hermes sessions import '${databaseFile()}'`);
    expect(JSON.stringify(cli.server.requests[1]?.messages)).toContain('3 sessions of an earlier Hermes installation');
    expect((await run('-z', 'hello')).stderr).not.toContain('sessions import');
    expect((await run('doctor', '--offline')).stdout).toContain(
      '(schema 26) are not imported.\n  Import them with: hermes',
    );
    await run('sessions', 'import', databaseFile());
    expect((await run('doctor', '--offline')).stdout).not.toContain('not imported');
  });

  it('are offered at the first start in a terminal', async () => {
    await cli.configure();
    await mkdir(cli.home.workspace, { recursive: true });
    writeOriginalDatabase(databaseFile(), { schema: 26 });
    const chat = startTerminal(cli.home, []);
    await chat.see('has 3 sessions of the original Hermes');
    chat.type('\r');
    await chat.see('Imported 3 sessions with');
    await chat.see('❯ ');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    expect((await run('sessions', 'list')).stdout).toContain('Walrus #2');
    const again = startTerminal(cli.home, []);
    await again.see('❯ ');
    expect(again.output()).not.toContain('original Hermes');
    again.type('\u0004');
    expect(await again.exited).toBe(0);
  });
});

describe('exports in the form of the original', () => {
  it('are read, with JSON columns, NULL and what was compacted', async () => {
    await cli.configure();
    const call = { id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'giraffe', timestamp: 1, active: 0, compacted: 1 },
      { role: 'user', content: [{ type: 'text', text: 'Find the walrus' }], timestamp: 2, unknown_column: { a: 1 } },
      { role: 'assistant', content: null, tool_calls: [call], timestamp: 3, reasoning_details: [{ type: 'x' }] },
      { role: 'tool', content: 'on the ice', tool_call_id: 'c1', tool_name: 'terminal', timestamp: 4 },
      'not a message',
    ];
    const session = { id: 'from-there', source: 'cli', started_at: 1, title: 'Walrus', input_tokens: 5, messages };
    const lines = `${JSON.stringify(session)}\n{"id": "x", "messages": 5}\n`;
    await mkdir(cli.home.workspace, { recursive: true });
    writeFileSync(join(cli.home.workspace, 'theirs.jsonl'), lines);
    const { stdout, exitCode } = await run('sessions', 'import', 'theirs.jsonl');
    expect(stdout).toContain('Imported 1 session with 4 messages; 1 line could not be read.');
    expect(exitCode).toBe(1);
    const shown = (await run('sessions', 'show', 'from-there', '--lineage')).stdout;
    for (const text of ['Walrus', 'giraffe', 'Find the walrus', '● terminal {}', 'on the ice'])
      expect(shown).toContain(text);
  });

  it('are written, and give the same sessions when they are read again', async () => {
    await cli.configure();
    writeOriginalDatabase(databaseFile(), { schema: 26 });
    await run('sessions', 'import', databaseFile());
    expect((await run('sessions', 'export', '--format', 'hermes', 'ours.jsonl')).stdout).toContain('Wrote 4 sessions');
    const written = readFileSync(join(cli.home.workspace, 'ours.jsonl'), 'utf8');
    const first = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; messages: object[] })
      .find(({ id }) => id === '20260401_100000_aaaaaa');
    expect(first).toMatchObject({
      source: 'cli',
      started_at: 100,
      input_tokens: 7,
      message_count: 3,
      tool_call_count: 1,
    });
    expect(first?.messages[1]).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'c1', type: 'function' }] });
    await cli.home.write('other/config.yaml', '');
    const env = { HERMES_HOME: join(cli.home.path, 'other') };
    const other = (...args: string[]) => runHermes(args, { home: cli.home, env });
    await other('sessions', 'import', 'ours.jsonl');
    expect((await other('sessions', 'export', '--format', 'hermes', '-')).stdout).toBe(written);
  });

  it.each(['x.docx', 'all.json', 'notes.txt'])('%s is rejected as the name of an export', async (name) => {
    await cli.configure();
    const { exitCode, stderr } = await run('sessions', 'export', name);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('which is not an export format; nothing was written.');
    expect(readdirSync(cli.home.workspace)).not.toContain(name);
  });
});

it('a setting without effect is named once, again after a change, and never if disabled', async () => {
  await cli.configure('kanban: { auto_decompose: true }\n');
  cli.server.setScript(() => ({ text: 'Hello.' }));
  const stderr = async () => (await run('-z', 'hi')).stderr;
  expect(await stderr()).toContain('config.yaml has 1 setting without effect: kanban. `hermes config check`');
  expect(await stderr()).toBe('');
  await cli.configure('kanban: {}\ncurator: {}\n');
  expect(await stderr()).toContain('has 2 settings without effect: kanban, curator.');
  await cli.configure('kanban: {}\ncuratr: {}\ndisplay: { ignored_settings: false }\n');
  expect(await stderr()).toBe('');
  expect(readdirSync(join(cli.home.path, 'cache'))).toContain('shown-notices.json');
});
