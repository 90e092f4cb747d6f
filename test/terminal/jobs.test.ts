import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReceivedRequest, Reply } from '../../src/testing/index.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isReady } from '../support/pty/chat-state.ts';

const cli = useCliFixture();
const letGo = (name: string) => mkdir(join(cli.home.workspace, name));
/** A command that runs until the test creates this folder. */
const waitFor = (name: string) => `while [ ! -e ${name} ]; do sleep 0.02; done`;
const call = (name: string, args: object): Reply => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] });
const hasResult = ({ messages }: ReceivedRequest) => messages.at(-1)?.role === 'tool';
const shows = (text: string) => (screen: readonly string[]) => screen.some((line) => line.includes(text));

const TASKS = ['Read the parser', 'Write a test', 'Fix the 日本語 bug'];
const list = (done: number) =>
  call('todo', {
    todos: TASKS.map((content, index) => ({
      id: `${index}`,
      content,
      status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
    })),
  });

describe('the task list', () => {
  it('is drawn during the turn, updates in place, and leaves one line about what is next', async () => {
    await cli.configure();
    const replies = [list(0), call('terminal', { command: waitFor('one') }), list(1), { text: 'Enough for now.' }];
    cli.server.setScript(replies);
    const chat = await openChat(cli, { args: ['chat', 'begin'] });
    await chat.until(
      (screen) =>
        shows('○ terminal')(screen) &&
        screen.join('\n').includes('Tasks 0/3\n  ▸ Read the parser\n  ○ Write a test\n  ○ Fix the 日本語 bug'),
    );
    await letGo('one');
    await chat.until((screen) => isReady(screen) && shows('Enough for now.')(screen));
    expect(chat.screen()).toContain('▸ tasks 1/3 · next: Write a test');
    // The list itself is not printed.
    expect(chat.scrollback().filter((line) => line.includes('Read the parser'))).toEqual([]);
    expect(chat.scrollback().filter((line) => line.startsWith('● todo'))).toEqual([
      expect.stringMatching(/3 items {2}✓ .* 0 of 3 done$/),
      expect.stringMatching(/3 items {2}✓ .* 1 of 3 done$/),
    ]);
    expect(await chat.leave()).toBe(0);
  });
});

describe('jobs', () => {
  it('a background process has a line, can be followed with /jobs, and stopped', async () => {
    await cli.configure();
    const command = `echo first; ${waitFor('more')}; echo second; ${waitFor('never')}`;
    cli.server.setScript((request) =>
      hasResult(request) ? { text: 'It runs.' } : call('terminal', { command, background: true }),
    );
    const chat = await openChat(cli);
    await chat.ready();
    await chat.ask('start it', 'It runs.');
    await chat.until((screen) => screen.some((line) => /^◷ proc_\w+ {2}echo first;.* {2}\ds$/.test(line)));
    chat.send('/jobs');
    await chat.until(shows('Jobs  1/1'));
    chat.press('enter');
    await chat.until(shows('Show the output and follow it'));
    chat.press('enter');
    await chat.until((screen) => screen.includes('first'));
    await letGo('more');
    await chat.until((screen) => screen.includes('second'));
    chat.press('esc');
    await chat.until((screen) => isReady(screen) && shows('No longer following')(screen));
    chat.send('/jobs stop proc');
    await chat.until((screen) => shows('Stopping process proc')(screen) && !shows('◷ proc')(screen));
    expect(await chat.leave()).toBe(0);
  });

  it('a subagent that is stopped with /jobs ends, and the turn continues', async () => {
    await cli.configure();
    cli.server.setScript((request) => {
      if (request.system.includes('another agent delegated'))
        return hasResult(request) ? { text: 'never said' } : call('terminal', { command: waitFor('never') });
      return hasResult(request) ? { text: 'One was stopped.' } : call('delegate_task', { tasks: [{ goal: 'count' }] });
    });
    const chat = await openChat(cli, { args: ['chat', 'begin'] });
    await chat.until(shows('1 count › terminal'));
    chat.send('/jobs');
    await chat.until((screen) => shows('Jobs  1/1')(screen) && shows('subagent')(screen));
    chat.press('enter');
    await chat.until(shows('Stop the subagent'));
    chat.press('down', 'enter');
    await chat.until((screen) => isReady(screen) && shows('One was stopped.')(screen));
    expect(chat.scrollback().join('\n')).toContain('● 1 count 1 call ✗ interrupted');
    expect(await chat.leave()).toBe(0);
  });

  it('a background turn can be followed: its messages appear as in a chat', async () => {
    await cli.configure();
    cli.server.setScript((request) =>
      hasResult(request) ? { text: 'The **count** is 3.' } : call('terminal', { command: waitFor('go') }),
    );
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('/background count them');
    await chat.until(shows('◷ turn-1  count them'));
    chat.send('/jobs turn-1');
    await chat.until(shows('❯ count them'));
    await letGo('go');
    await chat.until((screen) => isReady(screen) && shows('Background turn 1 finished')(screen));
    await chat.until((screen, scrollback) => shows('● terminal  while')(scrollback()) && !shows('◷ turn-1')(screen));
    expect(await chat.leave()).toBe(0);
  });
});

describe('the layout', () => {
  it('separates exchanges, prose and tool calls with one blank line each, during the turn and after it', async () => {
    await cli.configure();
    cli.server.setScript((request) =>
      hasResult(request)
        ? { text: 'There are three.' }
        : { text: 'I count.', ...call('terminal', { command: waitFor('go') }) },
    );
    const chat = await openChat(cli, { columns: 92 });
    await chat.ready();
    chat.send('count');
    const asked = ['', '❯ count', '', 'I count.', ''];
    const after = (screen: readonly string[]) => screen.slice(screen.indexOf('❯ count') - 1);
    await chat.until((screen) => shows('○ terminal')(screen));
    expect(after(chat.screen()).slice(0, 8)).toEqual([
      ...asked,
      expect.stringMatching(/^○ terminal {2}while/),
      '',
      // The activity on the left, the figures at the right edge.
      expect.stringMatching(/^[⠀-⣿] terminal \ds · Esc to interrupt +[\d.]+k? tokens.*$/u),
    ]);
    await letGo('go');
    await chat.until((screen) => isReady(screen) && shows('There are three.')(screen));
    const call1 = expect.stringMatching(/^● terminal {2}while.* {2}✓/);
    const end = ['', 'There are three.', '', expect.stringMatching(/^ {10,}[\d.]+k? tokens/), '❯'];
    expect(after(chat.screen()).slice(0, 11)).toEqual([...asked, call1, ...end]);
    expect(await chat.leave()).toBe(0);
  });

  it('offers as many completions as the window has room for', async () => {
    await cli.configure();
    for (const [rows, least, most] of [
      [12, 3, 5],
      [50, 18, 21],
    ] as const) {
      const chat = await openChat(cli, { rows });
      await chat.ready();
      chat.type('/');
      await chat.until(shows('start a new session'));
      const offered = chat.screen().filter((line) => / {3,}\w/.test(line) && !line.includes('Hermes'));
      expect(offered.length).toBeGreaterThanOrEqual(least);
      expect(offered.length).toBeLessThanOrEqual(most);
      chat.press('ctrl-u');
      await chat.ready();
      expect(await chat.leave()).toBe(0);
    }
  });
});
