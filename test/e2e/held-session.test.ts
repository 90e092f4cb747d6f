import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openStore } from '../../src/runtime/index.ts';
import { startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const letGo = () => writeFile(join(cli.home.workspace, 'go'), '');

/** A session with a title in which another process runs a turn until the test releases it. */
async function holdSession() {
  await cli.configure();
  const waiting = {
    toolCalls: [
      { id: 'call_1', name: 'terminal', arguments: { command: 'touch begun; until [ -e go ]; do sleep 0.05; done' } },
    ],
  };
  cli.server.setScript((request) => {
    if (request.toolResults.length === 0 && request.lastUserText === 'hold it') return waiting;
    return { text: `answer to ${request.lastUserText}` };
  });
  const id = String(lastLine((await hermes('--json', '-q', 'maple')).stdout)['session_id']);
  await hermes('sessions', 'rename', id, 'Trees');
  const holder = startHermes(['--resume', id, '-z', 'hold it'], { home: cli.home, input: '' });
  // A call is stored before it runs.
  await expect.poll(() => existsSync(join(cli.home.workspace, 'begun')), { interval: 5 }).toBe(true);
  return { id, holder };
}

const open = (...args: string[]) => startTerminal(cli.home, args);

async function contentsOf(id: string): Promise<string[]> {
  const store = await openStore({ home: cli.home.path });
  try {
    return (await store.getMessages(id)).map(({ message }) => message.content);
  } finally {
    await store.close();
  }
}

describe('a held session without a terminal', () => {
  verifies(
    'STORE-7',
    '--if-busy wait continues when the other turn has ended, with its messages',
    fullDoseOnly,
    async () => {
      const { id, holder } = await holdSession();
      const waiting = startHermes(['--resume', 'Trees', '--if-busy', 'wait', '-q', 'me too'], {
        home: cli.home,
        input: '',
      });
      await waiting.waitForOutput('Waiting for it to finish');
      await letGo();
      expect((await holder.exited).exitCode).toBe(0);
      expect(await waiting.exited).toMatchObject({ exitCode: 0, stdout: 'answer to me too\n' });
      expect(cli.server.requests.at(-1)?.rawBody).toContain('answer to hold it');
      expect((await contentsOf(id)).slice(-2)).toEqual(['me too', 'answer to me too']);
    },
  );

  verifies('STORE-7', 'a signal ends the wait, and nothing was started', fullDoseOnly, async () => {
    const { id, holder } = await holdSession();
    const waiting = startHermes(['--json', '--resume', id, '--if-busy', 'wait', '-q', 'x'], {
      home: cli.home,
      input: '',
    });
    await waiting.waitForOutput('"type":"warning"');
    waiting.kill('SIGTERM');
    const { exitCode, stdout } = await waiting.exited;
    expect(exitCode).toBe(130);
    expect(lastLine(stdout)).toMatchObject({ type: 'result', exit_reason: 'interrupted' });
    await letGo();
    await holder.exited;
    expect(await contentsOf(id)).not.toContain('x');
  });

  verifies('STORE-7', '--if-busy branch continues in a branch, and both stay independent', fullDoseOnly, async () => {
    const { id, holder } = await holdSession();
    const { exitCode, stdout, stderr } = await hermes('--resume', id, '--if-busy', 'branch', '-q', 'me too');
    expect([exitCode, stdout]).toEqual([0, 'answer to me too\n']);
    const branch = /Continuing in a branch, session (\S+)\./.exec(stderr)?.[1] ?? '';
    expect(stderr).toContain(`hermes --resume ${branch}`);
    expect(cli.server.requests.at(-1)?.rawBody).toContain('No result of this call was stored');
    await letGo();
    expect((await holder.exited).stdout).toBe('answer to hold it\n');
    expect(await contentsOf(id)).toEqual([
      'maple',
      'answer to maple',
      'hold it',
      '',
      expect.any(String),
      'answer to hold it',
    ]);
    // The original session continues without the messages of its branch, both by id and by title.
    for (const reference of [id, 'Trees']) {
      await hermes('--resume', reference, '-z', 'still you?');
      expect(cli.server.requests.at(-1)?.rawBody).not.toContain('me too');
    }
    await hermes('--resume', 'Trees #2', '-z', 'and you?');
    expect(cli.server.requests.at(-1)?.rawBody).toContain('me too');
  });

  verifies('STORE-7', 'fails by default, and names the holder and the options', async () => {
    const { id, holder } = await holdSession();
    for (const args of [['--resume', id], ['--continue'], ['--continue', '--if-busy', 'fail']]) {
      const { exitCode, stderr } = await hermes(...args, '-q', 'me too');
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/is in use: process \d+ on \S+ \(cli\)/);
      expect(stderr).toContain('--if-busy wait');
    }
    expect((await hermes('--continue', '--if-busy', 'nonsense', '-q', 'x')).exitCode).toBe(2);
    await letGo();
    await holder.exited;
  });
});

describe('a held session in a terminal', () => {
  verifies('STORE-7', 'asks at the start; watching shows the turn and asks again', fullDoseOnly, async () => {
    const { id, holder } = await holdSession();
    const chat = open('--resume', id);
    await chat.see(`Session ${id} is in use: process`);
    await chat.see('1-4 › ');
    chat.type('watch\r');
    await chat.see('hold it');
    await chat.see('● terminal');
    chat.type('\u0003');
    await chat.see('1-4 › ');
    chat.type('2\r');
    await chat.see('Watching');
    await letGo();
    await chat.see('answer to hold it');
    await chat.see('is free now.');
    await chat.see('1-3 › ');
    chat.type('1\r');
    await chat.see('Resuming Trees');
    await chat.see('❯ ');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    await holder.exited;
  });

  verifies('STORE-7', 'lets a running chat wait with its message or continue in a branch', fullDoseOnly, async () => {
    await cli.configure();
    const { id, holder } = await holdSession();
    const chat = open('--resume', id);
    await chat.see('1-4 › ');
    // After an invalid answer the question is asked again.
    chat.type('perhaps\r');
    await chat.see('1-4 › ');
    chat.type('\u0003');
    await chat.see('❯ ');
    chat.type('from here\r');
    await chat.see('1-4 › ');
    chat.type('1\r');
    await chat.see('waiting for the session');
    chat.type('\u0003');
    await chat.see('1-4 › ');
    chat.type('wait\r');
    await chat.see('waiting for the session');
    await letGo();
    await chat.see('answer to from here');
    await chat.see('❯ ');
    expect(cli.server.requests.at(-1)?.rawBody).toContain('answer to hold it');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    await holder.exited;
    expect((await contentsOf(id)).at(-1)).toBe('answer to from here');
  });

  verifies('STORE-7', 'is not affected if the user leaves or branches', fullDoseOnly, async () => {
    const { id, holder } = await holdSession();
    const refused = open('--resume', id, '--if-busy', 'fail');
    await refused.see('is in use: process');
    expect(await refused.exited).toBe(1);
    const leaving = open('--resume', id, 'never sent');
    await leaving.see('1-4 › ');
    leaving.type('leave\r');
    expect(await leaving.exited).toBe(0);
    const chat = open('--resume', id);
    await chat.see('1-4 › ');
    chat.type('branch\r');
    await chat.see('Continuing in a branch: session');
    await chat.see('Trees #2');
    await chat.see('❯ ');
    chat.type('in the branch\r');
    await chat.see('answer to in the branch');
    await chat.see('❯ ');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    const shown = JSON.parse((await hermes('sessions', 'show', id, '--json')).stdout) as object;
    expect(shown).not.toHaveProperty('ended_at');
    await letGo();
    expect((await holder.exited).exitCode).toBe(0);
    expect(await contentsOf(id)).not.toContain('in the branch');
  });
});
