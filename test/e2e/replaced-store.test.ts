import { existsSync } from 'node:fs';
import { access, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { type HermesProcess, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { openPlainChat } from '../support/plain-chat.ts';
import { runHermes } from '../support/run-hermes.ts';
import { waitUntil } from '../support/wait-until.ts';

const cli = useCliFixture();
const hermes = (args: string[], env: Record<string, string> = {}) => runHermes(args, { home: cli.home, env });

/** Ends also when the folder is removed, because a killed turn leaves it running. */
const WAITING = {
  toolCalls: [
    {
      id: 'call_1',
      name: 'terminal',
      arguments: { command: 'touch begun; while [ -e begun ] && [ ! -e go ]; do sleep 0.05; done' },
    },
  ],
};

/** Stores a first turn, then starts a second one that waits in a tool call until `finish` is called. */
async function startTurn(args: string[] = ['--continue']): Promise<HermesProcess> {
  await cli.configure();
  cli.server.setScript(({ messages }) =>
    messages.at(-1)?.text.includes('wait here') ? WAITING : { text: 'the answer' },
  );
  await hermes(['-z', 'first question']);
  const turn = startHermes([...args, '-z', 'wait here'], { home: cli.home, input: '' });
  await cli.server.waitForRequests(2);
  // The call is stored before it runs; until then, the turn would notice the change at any time.
  await waitUntil(() => access(join(cli.home.workspace, 'begun')));
  return turn;
}

const finish = () => writeFile(join(cli.home.workspace, 'go'), '');
const archive = () => join(cli.home.workspace, 'b.tar.gz');
const inUse = ({ child }: HermesProcess) =>
  new RegExp(`Session \\S+ is in use: process ${child.pid} on \\S+ \\(cli\\) has been running a turn in it since .*`);

describe('a command that replaces or copies a whole store', () => {
  verifies('BOUND-4', 'is refused while a turn is running, and says who runs it', fullDoseOnly, async () => {
    const turn = await startTurn();
    expect((await hermes(['backup', '-o', archive()])).exitCode).toBe(0);
    const before = (await readdir(dirname(cli.home.path))).toSorted();
    const other = join(cli.home.workspace, 'other.db');
    await hermes(['sessions', 'migrate', '--to', other]);
    const refused = [
      ['import', archive(), '--yes'],
      ['sessions', 'repair'],
      ['sessions', 'migrate', '--from', other, '--to', join(cli.home.path, 'state.db')],
    ];
    for (const args of refused) {
      const { exitCode, stdout, stderr } = await hermes(args);
      expect([args, exitCode, stdout]).toEqual([args, expect.toBeOneOf([1, 2]), '']);
      expect(stderr).toMatch(inUse(turn));
      expect(stderr).toContain('Wait until the turn has ended');
    }
    expect((await readdir(dirname(cli.home.path))).toSorted()).toEqual(before);
    await finish();
    expect(await turn.exited).toMatchObject({ exitCode: 0, stdout: 'the answer\n' });
    expect((await hermes(['import', archive(), '--yes'])).exitCode).toBe(0);
    expect((await hermes(['sessions', 'repair'])).stdout).toContain('is intact');
  });

  verifies(
    'BOUND-4',
    'is refused for a profile in which a turn is running, but not if its process was killed',
    fullDoseOnly,
    async () => {
      await cli.configure();
      await hermes(['profile', 'create', 'work', '--clone']);
      cli.server.setScript(() => WAITING);
      const turn = startHermes(['-p', 'work', '-z', 'wait here'], { home: cli.home, input: '' });
      await cli.server.waitForRequests(1);
      const { exitCode, stderr } = await hermes(['profile', 'delete', 'work', '--yes']);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(inUse(turn))]);
      // The whole home contains the profile.
      await hermes(['backup', '-o', archive()]);
      expect((await hermes(['import', archive(), '--yes'])).stderr).toMatch(inUse(turn));
      turn.kill('SIGKILL');
      await turn.exited;
      expect(await hermes(['profile', 'delete', 'work', '--yes'])).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(cli.home.path, 'profiles/work'))).toBe(false);
    },
  );
});

describe('a turn whose database was replaced', () => {
  /** Imports the session that the turn saved, and returns its messages. */
  async function importSaved(stderr: string): Promise<string> {
    const [, file = '', id = ''] =
      /hermes sessions import (\S+)`, and continue with `hermes --resume (\S+)`/.exec(stderr) ?? [];
    expect(file).toMatch(/recovered\/\S+\.jsonl$/);
    expect(await hermes(['sessions', 'import', file])).toMatchObject({ exitCode: 0, stdout: /Imported 1 session/ });
    return (await hermes(['sessions', 'show', id])).stdout;
  }

  verifies('BOUND-4', 'fails, names the old file, and saves the session so that it can be imported', async () => {
    await cli.configure();
    await hermes(['backup', '-o', archive()]);
    const turn = await startTurn();
    // As an earlier version did it: the home is moved aside, and another one takes its place.
    const old = `${cli.home.path}.old`;
    await rename(cli.home.path, old);
    expect((await hermes(['import', archive(), '--yes'])).exitCode).toBe(0);
    await finish();
    const { exitCode, stdout, stderr } = await turn.exited;
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`state.db was moved to ${old}/state.db while this process was using it`);
    const shown = await importSaved(stderr);
    for (const text of ['first question', 'the answer', 'wait here', '[ ! -e go ]']) expect(shown).toContain(text);
    await rm(old, { recursive: true });
  });

  verifies('BOUND-4', 'saves the session also if the database was deleted', async () => {
    const turn = await startTurn();
    for (const name of await readdir(cli.home.path)) {
      if (name.startsWith('state.db')) await rm(join(cli.home.path, name), { recursive: true });
    }
    await finish();
    const { exitCode, stderr } = await turn.exited;
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('state.db was deleted while this process')]);
    expect(await importSaved(stderr)).toContain('wait here');
  });

  verifies('BOUND-4', 'reports the failure in JSON', async () => {
    const turn = await startTurn(['--continue', '--json']);
    await rename(join(cli.home.path, 'state.db'), join(cli.home.path, 'aside.db'));
    await finish();
    const { stdout } = await turn.exited;
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as object;
    expect(last).toMatchObject({ exit_reason: 'failed', error: { message: expect.stringContaining('aside.db') } });
  });

  verifies(
    'BOUND-4',
    'fails in a chat that was open during an import, and leaves the new database alone',
    fullDoseOnly,
    async () => {
      await cli.configure();
      cli.server.setScript(({ messages }) => ({ text: `answer to ${messages.at(-1)?.text}` }));
      await hermes(['-z', 'from the backup']);
      await hermes(['backup', '-o', archive()]);
      const chat = await openPlainChat(cli);
      await chat.say('before', 'answer to before');
      expect((await hermes(['import', archive(), '--yes'])).exitCode).toBe(0);
      // Another process has the new database open while the chat exits.
      const other = startHermes(['-z', 'wait here'], { home: cli.home, input: '' });
      await cli.server.waitForRequests(3);
      const said = (await chat.say('after', 'Exit Hermes')).replace(/\s+/g, ' ');
      expect(said).toMatch(/state\.db was moved to .*before-import-.*state\.db while this process was using it/);
      chat.type('\u0004');
      // The end of the session cannot be stored either.
      expect(await chat.exited).toBe(1);
      expect((await other.exited).exitCode).toBe(0);
      const listed = (await hermes(['sessions', 'search', 'answer'])).stdout;
      expect(listed).toContain('from the backup');
      expect(listed).toContain('wait here');
      const [kept = ''] = (await readdir(dirname(cli.home.path))).filter((name) => name.includes('before-import'));
      const old = join(dirname(cli.home.path), kept, 'state.db');
      expect(said).toContain(`hermes sessions import ${old}`);
      expect((await hermes(['sessions', 'import', old])).stdout).toContain('Imported 1 session');
      expect((await hermes(['sessions', 'search', 'before'])).stdout).toContain('answer to');
      await rm(join(dirname(cli.home.path), kept), { recursive: true });
    },
  );
});
