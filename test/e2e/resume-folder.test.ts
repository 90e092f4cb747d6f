import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const last = () => cli.server.requests.at(-1);
const lastMessages = () => JSON.stringify(last()?.messages.map(({ text }) => text));
/** The id of the latest session. */
const latestId = async () => /\S+/.exec((await hermesIn('one', 'sessions', 'list')).stdout)?.[0] ?? '';

/** Runs a command in a folder below the workspace. */
async function hermesIn(folder: string, ...args: string[]) {
  const cwd = join(cli.home.workspace, folder);
  await mkdir(cwd, { recursive: true });
  return runHermes(args, { home: cli.home, cwd });
}

describe('resuming in another working directory', () => {
  verifies('SURF-1', 'tells the user and the model, and uses the context files of the new directory', async () => {
    await cli.configure();
    await hermesIn('one', '-q', 'first');
    const two = join(cli.home.workspace, 'two');
    await mkdir(two, { recursive: true });
    await writeFile(join(two, 'AGENTS.md'), 'Use tabs in project two.');
    const id = await latestId();
    const { stderr } = await hermesIn('two', '-q', 'second', '--resume', id);
    const moved = `The working directory changed from ${join(cli.home.workspace, 'one')} to ${two}.`;
    expect(stderr).toContain(moved);
    expect(last()?.lastUserText).toContain(moved);
    expect(last()?.system).toContain('Use tabs in project two.');
    expect(last()?.system).toContain(two);
    const again = await hermesIn('two', '-q', 'third', '--resume', id);
    expect(again.stderr).not.toContain('working directory');
    expect(lastMessages().match(/The working directory changed/g)).toHaveLength(1);
  });

  verifies('SURF-1', '--continue prefers the latest session of this directory', async () => {
    await cli.configure();
    await hermesIn('one', '-q', 'asked in one');
    await hermesIn('two', '-q', 'asked in two');
    await hermesIn('one', '-q', 'again', '--continue');
    expect(lastMessages()).toContain('asked in one');
    expect(lastMessages()).not.toContain('asked in two');
    const { stderr } = await hermesIn('three', '-q', 'again', '--continue');
    expect(lastMessages()).toContain('asked in one');
    expect(stderr).toContain('The working directory changed');
  });

  verifies('SURF-1', 'a chat does not continue the session of a single command or of a background turn', async () => {
    await cli.configure();
    cli.server.setScript(({ lastUserText }) => ({ text: `Answer to: ${lastUserText}.` }));
    const chat = startTerminal(cli.home, ['asked in the chat']);
    await chat.see('Answer to: asked in the chat.');
    chat.type('/background asked in the background\r');
    await chat.see('Background turn 1 finished');
    chat.type('\u0004');
    await chat.exited;
    await runHermes(['-q', 'asked by a command'], { home: cli.home });
    const later = startTerminal(cli.home, ['--continue']);
    await later.see('asked in the chat');
    later.type('go on\r');
    await later.see('Answer to: go on.');
    expect(lastMessages()).toContain('asked in the chat');
    expect(lastMessages()).not.toMatch(/asked in the background|asked by a command/);
    later.type('\u0004');
    await later.exited;
  });
});
