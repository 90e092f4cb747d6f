import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { createTemporaryHome, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { pgbouncerSkipReason, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { useServer } from '../support/postgres/store-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { fullDoseOnly } from '../support/dose.ts';

const cli = useCliFixture();
const { server, emptyDatabase } = useServer();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });

const FAST_CLOCK = encodeURIComponent('const real=performance.now.bind(performance);performance.now=()=>10*real();');
/** With these variables, a process gives up on a database after a tenth of the time: 6 s instead of 60 s, 0.5 s instead of 5 s. */
const FAST = { NODE_OPTIONS: `--import data:text/javascript,${FAST_CLOCK}` };

/** Stores the sessions of the home in an empty database; its URL is in `.env`. */
async function configure(): Promise<string> {
  const url = await emptyDatabase();
  await cli.configure();
  await cli.home.write('.env', `HERMES_DATABASE_URL=${url}\n`);
  return url;
}

const sessionOf = ({ stdout }: { stdout: string }) => String(lastLine(stdout)['session_id']);

async function contentsOf(url: string, id: string): Promise<string[]> {
  const store = await openPostgresStore({ url });
  try {
    return (await store.getMessages(id)).map(({ message }) => message.content);
  } finally {
    await store.close();
  }
}

const withoutPooler = pgbouncerSkipReason();
describe.skipIf(withoutPooler !== '')(`the command behind PgBouncer in transaction mode${withoutPooler}`, () => {
  verifies('STORE-6', 'a chat is stored and resumed, and the doctor reports the pooler', fullDoseOnly, async () => {
    const url = await configure();
    const pooler = await startPgbouncer(server().url);
    try {
      await cli.home.write('.env', `HERMES_DATABASE_URL=${pooler.through(url)}\n`);
      cli.server.setScript(({ lastUserText }) => ({ text: `answer to ${lastUserText}` }));
      const id = sessionOf(await hermes('--json', '-q', 'first'));
      expect((await hermes('--resume', id, '-z', 'second')).stdout).toContain('answer to second');
      expect(await contentsOf(url, id)).toHaveLength(4);
      expect((await hermes('doctor', '--offline')).stdout).toMatch(/no prepared statements.*connection pooler/);
    } finally {
      await pooler.close();
    }
  });
});

describe('the command with its sessions in PostgreSQL', () => {
  verifies('STORE-6', 'a chat is stored, resumed, listed and found there, and no file is created', async () => {
    await configure();
    cli.server.setScript(({ lastUserText }) => ({ text: `answer to ${lastUserText}` }));
    const id = sessionOf(await hermes('--json', '海象 are big'));
    expect((await hermes('--resume', id, '-z', 'and seals?')).stdout).toContain('answer to and seals?');
    expect(cli.server.requests.at(-1)?.rawBody).toContain('海象 are big');
    expect((await hermes('sessions', 'list')).stdout).toContain('海象 are big');
    expect((await hermes('sessions', 'search', '海象')).stdout).toContain('>>>海象<<< are big');
    expect((await hermes('insights')).stdout).toMatch(/messages +4/);
    const doctor = await hermes('doctor', '--offline');
    expect(doctor.stdout).toMatch(
      /Sessions are stored in the PostgreSQL database test_\d+ at 127.0.0.1:\d+ \(server \d+/,
    );
    expect((await hermes('status')).stdout).toMatch(/store +PostgreSQL database test_/);
    expect((await hermes('backup', '-o', 'b.tar.gz')).stderr).toMatch(
      /not part of the backup.*pg_dump --schema=hermes/,
    );
    expect(readdirSync(cli.home.path).filter((name) => name.includes('.db'))).toEqual([]);
  });

  verifies('STORE-6', 'the password is not shown, logged or passed on', fullDoseOnly, async () => {
    const url = await configure();
    await cli.home.write('config.yaml', `${await cli.home.read('config.yaml')}storage:\n  url: ${url}\n`);
    const call = { id: 'c1', name: 'terminal', arguments: { command: 'env; cat /proc/$PPID/environ || true' } };
    cli.server.setScript(({ toolResults }) => (toolResults.length === 0 ? { toolCalls: [call] } : { text: 'done' }));
    const env = { HERMES_DATABASE_URL: url };
    const run = (...args: string[]) => runHermes(args, { home: cli.home, env });
    const said = [
      await run('--json', '--yolo', 'show the variables'),
      await run('config', 'show'),
      await run('config', 'get', 'storage.url'),
      await run('config', 'check'),
      await run('dump'),
      await run('doctor', '--offline'),
      await run('status'),
      await run('sessions', 'stats'),
    ];
    await server().stop();
    said.push(await runHermes(['sessions', 'list'], { home: cli.home, env: { ...env, ...FAST } }));
    await server().start();
    const all = [...said.map(({ stdout, stderr }) => stdout + stderr), ...logsOf(cli.home.path)].join('\n');
    expect(all).toContain('PATH=');
    expect(all).toMatch(/could not be reached within 5 s/);
    expect(all).not.toContain(server().password);
    expect(cli.server.requests.at(-1)?.rawBody).not.toContain(server().password);
  });

  verifies('STORE-6', 'a turn is not lost when the database restarts in the middle of it', fullDoseOnly, async () => {
    const url = await configure();
    let starting: Promise<void> | undefined;
    cli.server.setScript(async () => {
      await server().stop();
      // Not awaited: the answer must be stored before the server is back.
      starting = server().start();
      return { text: 'said while it was away' };
    });
    const chat = await hermes('--json', '-q', 'hello');
    await starting;
    expect(chat.exitCode).toBe(0);
    expect(await contentsOf(url, sessionOf(chat))).toEqual(['hello', 'said while it was away']);
  });

  verifies('STORE-6', 'two processes write concurrently, but one at a time in one session', fullDoseOnly, async () => {
    const url = await configure();
    const call = { id: 'c1', name: 'terminal', arguments: { command: 'until [ -e go ]; do sleep 0.05; done' } };
    cli.server.setScript((request) =>
      request.lastUserText === 'hold it' && request.toolResults.length === 0
        ? { toolCalls: [call] }
        : { text: `answer to ${request.lastUserText}` },
    );
    const id = sessionOf(await hermes('--json', '-q', 'maple'));
    const holder = startHermes(['--resume', id, '-z', 'hold it'], { home: cli.home, input: '' });
    await cli.server.waitForRequests(2);
    expect((await hermes('--json', 'another session')).exitCode).toBe(0);
    const refused = await hermes('--resume', id, '-z', 'me too');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain(String(holder.child.pid));
    await writeFile(join(cli.home.workspace, 'go'), '');
    expect((await holder.exited).exitCode).toBe(0);
    expect((await contentsOf(url, id)).at(-1)).toBe('answer to hold it');
  });
});

function logsOf(home: string): string[] {
  const folder = join(home, 'logs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
}

describe('hermes sessions migrate', () => {
  verifies(
    'STORE-6',
    'after a kill and a second run, everything is there once; and it can migrate back to a file',
    fullDoseOnly,
    async () => {
      const sessions = 60;
      await fillFile(join(cli.home.path, 'state.db'), sessions);
      const url = await configure();
      const first = startHermes(['sessions', 'migrate'], { home: cli.home, input: '' });
      const count = async () =>
        Number((await server().query('SELECT count(*) FROM hermes.sessions', url))[0]?.['count']);
      await expect.poll(count).toBeGreaterThan(5);
      first.kill('SIGKILL');
      await once(first.child, 'close');
      const again = await hermes('sessions', 'migrate', '--json');
      const { copied, present, different } = lastLine(again.stdout.replaceAll('\n', ''));
      expect([Number(copied) + Number(present), different]).toEqual([sessions, []]);
      expect(Number(present)).toBeGreaterThan(5);
      const back = await hermes('sessions', 'migrate', '--to', 'copy.db');
      expect(back.stdout).toContain(`${sessions} sessions with ${sessions * 2} messages in PostgreSQL database`);
      expect(back.stdout).toContain('are identical');
      const copy = await openSqliteStore({ file: join(cli.home.workspace, 'copy.db') });
      expect(await copy.getConversation('session 7')).toEqual([
        { role: 'user', content: 'question 7' },
        { role: 'assistant', content: 'answer 7' },
      ]);
      await copy.close();
    },
  );

  verifies(
    'STORE-6',
    'reports its progress when the database goes away, and continues from there',
    { ...fullDoseOnly, timeout: 120_000 },
    async () => {
      const sessions = 300;
      await fillFile(join(cli.home.path, 'state.db'), sessions);
      const url = await configure();
      const first = startHermes(['sessions', 'migrate'], { home: cli.home, input: '', env: FAST });
      const count = async () =>
        Number((await server().query('SELECT count(*) FROM hermes.sessions', url))[0]?.['count']);
      await expect.poll(count).toBeGreaterThan(5);
      await server().stop();
      const { exitCode, stderr } = await first.exited;
      await server().start();
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/Copying failed after \d+ of 300 sessions, which are kept in/),
      ]);
      expect(stderr).not.toContain('nothing was done');
      const again = lastLine((await hermes('sessions', 'migrate', '--json')).stdout.replaceAll('\n', ''));
      expect(Number(again['copied']) + Number(again['present'])).toBe(sessions);
    },
  );

  verifies('STORE-6', 'reports what is missing and what is the same', async () => {
    await cli.configure();
    expect(await hermes('sessions', 'migrate')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--to') });
    const url = await configure();
    const empty = await hermes('sessions', 'migrate');
    expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('state.db does not exist') });
    const same = await hermes('sessions', 'migrate', '--from', url);
    expect(same).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Source and target are the same: PostgreSQL'),
    });
    expect(same.stderr).not.toContain(server().password);
  });
});

async function fillFile(file: string, sessions: number): Promise<void> {
  const store = await openSqliteStore({ file });
  for (let number = 0; number < sessions; number += 1) {
    await store.createSession({ id: `session ${number}`, source: 'cli', startedAt: number });
    await store.appendMessages(`session ${number}`, [
      { role: 'user', content: `question ${number}` },
      { role: 'assistant', content: `answer ${number}` },
    ]);
  }
  await store.close();
}

verifies('SURF-6', 'imports the jobs of a home once, keeps the file, and says so', async () => {
  const url = await configure();
  const stored = (id: string, name: string) => ({
    id,
    name,
    prompt: 'Report',
    schedule: { kind: 'interval', minutes: 60, display: 'every 60m' },
    next_run_at: '2099-01-01T09:00:00+00:00',
    enabled: true,
    theirs: { kept: true },
  });
  const file = JSON.stringify({ jobs: [stored('aaaaaaaaaaaa', 'First'), stored('bbbbbbbbbbbb', 'Second')] });
  await cli.home.write('cron/jobs.json', file);
  const listed = await hermes('cron', 'list');
  expect(listed.stderr).toMatch(/^Imported 2 jobs of \S+jobs\.json into the PostgreSQL database .* The file is kept/);
  expect(listed.stdout).toMatch(/First[^]*Second/);
  expect((await hermes('cron', 'remove', 'First')).exitCode).toBe(0);
  const again = await hermes('cron', 'list', '--all', '--json');
  expect(again.stderr).toBe('');
  expect(JSON.parse(again.stdout)).toMatchObject([{ name: 'Second' }]);
  expect(readFileSync(join(cli.home.path, 'cron/jobs.json'), 'utf8')).toBe(file);
  // A job that another machine has changed in the meantime stays as it is.
  await using other = await createTemporaryHome({ '.env': `HERMES_DATABASE_URL=${url}\n` });
  const here = { home: other };
  await other.write('cron/jobs.json', '{ "jobs": [');
  expect((await runHermes(['cron', 'list'], here)).stderr).toContain('Could not import the jobs');
  await other.write('cron/jobs.json', JSON.stringify([stored('bbbbbbbbbbbb', 'Old'), stored('cccccccccccc', 'Third')]));
  const merged = await runHermes(['cron', 'list'], here);
  expect(merged.stderr).toContain('Imported 1 job of');
  expect(merged.stdout).toMatch(/Second[^]*Third/);
  expect(merged.stdout).not.toContain('Old');
});
