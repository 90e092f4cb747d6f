import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReceivedRequest, Reply } from '../../src/testing/index.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isReady } from '../support/pty/chat-state.ts';

const cli = useCliFixture();
const isSubagent = ({ system }: ReceivedRequest) => system.includes('another agent delegated');
/** A command that runs until the test creates this folder. */
const waitFor = (name: string): Reply => ({
  toolCalls: [{ name: 'terminal', arguments: { command: `while [ ! -e ${name} ]; do sleep 0.02; done` } }],
});
const letGo = (name: string) => mkdir(join(cli.home.workspace, name));
const TASKS = { tasks: [{ goal: 'first' }, { goal: 'second' }] };

/** The chat delegates two tasks; each subagent runs a command that waits for a folder with the name of its task. */
function answer(request: ReceivedRequest): Reply {
  const done = request.messages.at(-1)?.role === 'tool';
  if (!isSubagent(request)) {
    return done
      ? { text: 'All is done.' }
      : { toolCalls: [{ name: 'delegate_task', arguments: JSON.stringify(TASKS) }] };
  }
  const name = request.messages[0]?.text.includes('first') ? 'first' : 'second';
  return done ? { text: `report on ${name}` } : waitFor(name);
}

describe('subagents on the screen', () => {
  it('have a line each while they work, which becomes one final line', async () => {
    await cli.configure();
    cli.server.setScript(answer);
    const chat = await openChat(cli, { args: ['chat', 'begin'] });
    const drawn = (number: number, goal: string) => (line: string) =>
      line.startsWith(`  ○ ${number} ${goal} › terminal while [ ! -e ${goal} ]`);
    await chat.until((screen) => screen.some(drawn(1, 'first')) && screen.some(drawn(2, 'second')));
    await letGo('second');
    const hasEnded = (screen: readonly string[]) => screen.some((line) => line.startsWith('  ● 2 second 1 call ✓'));
    await chat.until(
      (screen) => hasEnded(screen) && screen.some(drawn(1, 'first')) && !screen.some(drawn(2, 'second')),
    );
    await letGo('first');
    await chat.until((screen) => isReady(screen) && screen.some((line) => line.includes('All is done.')));
    const printed = chat.scrollback().filter((line) => /^ *[○●]/.test(line));
    expect(printed).toEqual([
      expect.stringMatching(/^ {2}● 2 second 1 call ✓ \d+\.\ds$/),
      expect.stringMatching(/^ {2}● 1 first 1 call ✓ \d+\.\ds$/),
      expect.stringMatching(/^● delegate_task {2}2 tasks {2}✓/),
    ]);
    expect(await chat.leave()).toBe(0);
  });
});
