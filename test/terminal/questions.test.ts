import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { Reply } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isReady } from '../support/pty/chat-state.ts';

const cli = useCliFixture();
const has = (text: string) => (screen: readonly string[]) => screen.some((line) => line.includes(text));
/** What the model reads of its last call. */
const lastResult = () => cli.server.requests.at(-1)?.toolResults.at(-1)?.content ?? '';

/** The model makes this call first, then answers. */
function callOnce(name: string, args: JsonObject): void {
  const call: Reply = { toolCalls: [{ name, arguments: args }] };
  cli.server.setScript(({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'Understood.' } : call));
}

describe('an approval on the screen', () => {
  verifies('APPR-3', 'is denied with Esc, or with a reason that the model reads', async () => {
    await cli.configure();
    await mkdir(join(cli.home.workspace, 'build'));
    callOnce('terminal', { command: 'rm -rf build' });
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('clean up');
    await chat.until(has('d or Esc deny'));
    chat.press('esc');
    await chat.until((screen) => isReady(screen) && has('Understood.')(screen));
    expect(lastResult()).toContain('approval was denied. Nothing');
    chat.send('clean up again');
    await chat.until(has('o once'));
    chat.type('w');
    await chat.until(has('why ›'));
    chat.type('keep it for the release\r');
    await chat.until((screen) => isReady(screen) && !has('why ›')(screen));
    expect(lastResult()).toMatch(/The user's reason: \W+keep it for the release/);
    expect(existsSync(join(cli.home.workspace, 'build'))).toBe(true);
    expect(await chat.leave()).toBe(0);
  });

  verifies('APPR-3', 'saves the rule that the user has narrowed', async () => {
    await cli.configure();
    callOnce('terminal', { command: 'git push --force origin main' });
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('push it');
    await chat.until(has('git push --force *'));
    chat.type('a');
    await chat.until(has('rule › git push --force *'));
    chat.press('backspace');
    chat.type('origin *\r');
    await chat.until((screen) => isReady(screen) && has('Understood.')(screen));
    expect(await chat.leave()).toBe(0);
    const config = await readFile(join(cli.home.path, 'config.yaml'), 'utf8');
    expect(config).toMatch(/command_allowlist:\s+- git push --force origin \*\s/);
  });
});

it('a question is answered with the arrow keys', async () => {
  await cli.configure();
  callOnce('clarify', { question: 'Which colour?', choices: ['red', 'blue'] });
  const chat = await openChat(cli, { columns: 60, rows: 10 });
  await chat.ready();
  chat.send('paint it');
  await chat.until(has('❯ 1. red'));
  chat.press('down');
  await chat.until(has('❯ 2. blue'));
  chat.press('enter');
  await chat.until((screen) => isReady(screen) && has('Understood.')(screen));
  expect(lastResult()).toBe('blue');
  expect(await chat.leave()).toBe(0);
});

describe('a running command', () => {
  it('shows its last lines, and more of them with Ctrl-O, which stay out of the scrollback', async () => {
    await cli.configure();
    callOnce('terminal', { command: 'seq -f "line %g" 1 30; while [ ! -e go ]; do sleep 0.02; done' });
    const chat = await openChat(cli, { rows: 30 });
    await chat.ready();
    chat.send('count');
    await chat.until((screen) => has('… 25 earlier lines')(screen) && has('line 30')(screen));
    expect(has('line 25')(chat.screen())).toBe(false);
    chat.press('ctrl-o');
    await chat.until(has('line 12'));
    chat.press('ctrl-o');
    await chat.until((screen) => !has('line 12')(screen));
    await mkdir(join(cli.home.workspace, 'go'));
    await chat.until((screen) => isReady(screen) && has('Understood.')(screen));
    expect(chat.scrollback().filter((line) => /^\s*line \d/.test(line))).toEqual([]);
    expect(await chat.leave()).toBe(0);
  });

  verifies('LOOP-8', 'a line that was steered before Esc goes back to the input', async () => {
    await cli.configure();
    callOnce('terminal', { command: 'while [ ! -e go ]; do sleep 0.02; done' });
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('wait');
    await chat.until(has('○ terminal'));
    chat.send('use the blue one');
    await chat.until(has('next step: use the blue one'));
    chat.press('esc');
    await chat.until(() => chat.typed() === 'use the blue one');
    expect(chat.scrollback().join('\n')).not.toContain('next step');
    cli.server.setScript(() => ({ text: 'Blue it is.' }));
    chat.press('enter');
    await chat.until((screen) => isReady(screen) && has('Blue it is.')(screen));
    expect(JSON.stringify(cli.server.requests.at(-1)?.messages.at(-1))).toContain('use the blue one');
    expect(await chat.leave()).toBe(0);
  });
});
