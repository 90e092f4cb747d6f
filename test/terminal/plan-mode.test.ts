import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { openTerminal } from '../support/open-terminal.ts';
import { isReady } from '../support/pty/chat-state.ts';

const cli = useCliFixture();
const PLAN = '## Plan\n\n1. Write `b.txt`.\n2. Read it again.';
const present: Reply = { toolCalls: [{ name: 'clarify', arguments: { question: 'All right?', plan: PLAN } }] };
const write: Reply = { toolCalls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'new\n' } }] };
const has = (text: string) => (screen: readonly string[]) => screen.some((line) => line.includes(text));
const made = () => readFile(join(cli.home.workspace, 'b.txt'), 'utf8').catch(() => 'missing');

describe('plan mode', () => {
  verifies('APPR-5', 'refuses changes, and ends with a plan that the user approves', async () => {
    await cli.configure();
    // Tries to write, presents the plan, writes, and finishes.
    const steps = [write, present, write, { text: 'Done as planned.' }];
    cli.server.setScript(() => steps.shift() ?? { text: 'nothing left' });
    const chat = await openChat(cli, { args: ['chat', '--plan'] });
    await chat.ready();
    expect(chat.scrollback().join('\n')).toContain(
      'Plan mode is on: only read-only tools run until you approve a plan.',
    );
    expect(chat.screen().some((line) => line.startsWith('plan mode'))).toBe(true);
    chat.send('add b.txt');
    await chat.until(has('❯ 1. Approve the plan'));
    expect(await made()).toBe('missing');
    expect(chat.scrollback()).toContain('── Plan ──');
    chat.press('enter');
    await chat.until((screen) => isReady(screen) && has('Done as planned.')(screen));
    expect(await made()).toBe('new\n');
    expect(chat.screen().some((line) => line.startsWith('plan mode'))).toBe(false);
    const [first, , third] = cli.server.requests;
    expect(JSON.stringify(first?.messages.at(-1))).toContain('Plan mode is on: only calls that read run');
    const results = third?.toolResults.map(({ content }) => content) ?? [];
    expect(results[0]).toContain('Plan mode is on: only read-only operations may run');
    expect(results[1]).toMatch(/approved the plan.*Plan mode is off/s);
    expect(await chat.leave()).toBe(0);
  });

  it('is turned on and off with /plan, and a plan is edited or rejected', async () => {
    await cli.configure();
    cli.server.setScript(({ toolResults }) => (toolResults.length === 0 ? present : { text: 'As you say.' }));
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('/plan add b.txt');
    await chat.until(has('❯ 1. Approve the plan'));
    chat.press('esc');
    await chat.until((screen) => isReady(screen) && has('As you say.')(screen));
    expect(cli.server.requests.at(-1)?.toolResults.at(-1)?.content).toContain('The user rejected the plan');
    expect(has('plan mode')(chat.screen())).toBe(true);
    cli.server.setScript(({ toolResults }) => (toolResults.length < 2 ? present : { text: 'Changed, then.' }));
    chat.send('again');
    await chat.until(has('❯ 1. Approve the plan'));
    chat.type('3\r');
    await chat.until(has('answer › Approve with these changes:'));
    chat.type(' Tell me then.\r');
    await chat.until((screen) => isReady(screen) && has('Changed, then.')(screen));
    expect(cli.server.requests.at(-1)?.toolResults.at(-1)?.content).toMatch(
      /exactly this plan now:\n\n## Plan\n\n1\. Write `b\.txt`\.\n2\. Read it again\. Tell me then\./,
    );
    for (const word of ['on', 'off']) {
      chat.send('/plan');
      await chat.until(has(`Plan mode is ${word}`));
    }
    expect(await chat.leave()).toBe(0);
  });

  it('is shown in the prompt of plain mode', async () => {
    await cli.configure();
    const chat = openTerminal({ home: cli.home, args: ['chat', '--plain', '--plan'], env: { NO_COLOR: '1' } });
    await chat.until(has('plan ❯'));
    chat.type('/plan\r');
    await chat.until((screen) => screen.some((line) => line.startsWith('❯')));
    chat.press('ctrl-d');
    expect(await chat.exited).toBe(0);
  });

  it('takes precedence over a skill with the name "plan"', async () => {
    const { mkdir } = await import('node:fs/promises');
    const folder = join(cli.home.path, 'skills', 'plan');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'SKILL.md'), '---\nname: plan\ndescription: Plans.\n---\nPlan it.\n');
    await cli.configure();
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('/plan');
    await chat.until(has('Plan mode is on'));
    expect(cli.server.requests).toEqual([]);
    expect(await chat.leave()).toBe(0);
  });
});
