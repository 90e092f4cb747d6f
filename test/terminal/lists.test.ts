import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/runtime/index.ts';
import { verifies } from '../spec/verifies.ts';
import { type Chat, openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isReady } from '../support/pty/chat-state.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();

const ANSWER = 'The **whale** is heavy.\n\n```ts\nconst tons = 150;\n```';

/** Two sessions, of which the older one has a tool call. */
async function fill(): Promise<void> {
  const store = await openStore({ home: cli.home.path });
  await store.createSession({ id: '2026_one', source: 'cli', startedAt: 1_000, title: 'Whales' });
  const call = { id: 'c1', name: 'terminal', arguments: '{"command":"weigh --animal whale"}' };
  await store.appendMessages('2026_one', [
    { role: 'user', content: 'how heavy is a whale' },
    { role: 'assistant', content: 'I weigh it.', toolCalls: [call] },
    { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: '150' },
    { role: 'assistant', content: ANSWER },
  ]);
  await store.createSession({ id: '2026_two', source: 'cli', startedAt: 2_000, title: '为什么' });
  await store.appendMessages('2026_two', [{ role: 'user', content: '构建失败了' }]);
  await store.close();
}

const shows = (text: string) => (screen: readonly string[]) => screen.some((line) => line.includes(text));
const selects = (text: string) => (screen: readonly string[]) =>
  screen.some((line) => line.startsWith('❯ ') && line.includes(text));

/** The exchange of the stored session, as it was shown when it happened. */
async function expectConversation(chat: Chat): Promise<void> {
  await chat.until((screen, scrollback) => isReady(screen) && shows('const tons = 150;')(scrollback()));
  const lines = chat.scrollback();
  const from = lines.indexOf('❯ how heavy is a whale');
  expect(lines.slice(from, from + 9)).toEqual([
    '❯ how heavy is a whale',
    '',
    'I weigh it.',
    '',
    '● terminal  weigh --animal whale  ✓  150',
    '',
    // Rendered as Markdown.
    'The whale is heavy.',
    '',
    '  const tons = 150;',
  ]);
}

describe('lists in the chat', () => {
  it('/resume searches sessions by title and messages, and shows the conversation', async () => {
    await cli.configure();
    await fill();
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('/resume');
    await chat.until(selects('为什么'));
    chat.type('heavy');
    await chat.until(selects('Whales'));
    chat.press('enter');
    await expectConversation(chat);
    expect(chat.emulator.clears).toEqual({ screen: 0, scrollback: 0, alternate: 0 });
    expect(await chat.leave()).toBe(0);
  });

  verifies('SURF-3', 'hermes --resume without a session opens a list before the chat', async () => {
    await cli.configure();
    await fill();
    const chat = await openChat(cli, { args: ['--resume'], rows: 12 });
    await chat.until(selects('为什么'));
    chat.press('down');
    await chat.until(selects('Whales'));
    chat.press('enter');
    await expectConversation(chat);
    expect(await chat.leave()).toBe(0);
    const left = await openChat(cli, { args: ['--resume'] });
    await left.until(selects('为什么'));
    left.press('esc');
    expect(await left.exited).toBe(0);
  });

  it('--resume without a session is a usage error without a terminal', async () => {
    await cli.configure();
    const run = await runHermes(['--resume'], { home: cli.home });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('`--resume` without a session needs a terminal');
    expect(run.stderr).toContain('hermes sessions list');
  });

  it('/model lists the models of the endpoint with price and context window, and selects one', async () => {
    const more = 'model_overrides:\n  test-model: { context_length: 200000, price: { input: 3, output: 15 } }\n';
    await cli.configure(more);
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('/model');
    await chat.until(selects('test-model'));
    expect(chat.screen().find((line) => line.startsWith('❯ test-model'))).toMatch(
      /Custom endpoint · 200K context.*\$3 in, \$15 out$/,
    );
    chat.type('zzz');
    await chat.until(shows('No matches.'));
    chat.press('esc');
    await chat.until(selects('test-model'));
    chat.press('enter');
    await chat.until((screen) => isReady(screen) && shows('Now using')(screen));
    expect(await chat.leave()).toBe(0);
  });

  it('/skills puts the selected skill into the input line', async () => {
    await cli.home.write('skills/demo/greet/SKILL.md', '---\nname: greet\ndescription: Says hello.\n---\nSay hello.\n');
    await cli.configure();
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('/skills');
    await chat.until(shows('Run a skill'));
    chat.type('greet');
    await chat.until(selects('/greet'));
    chat.press('enter');
    await chat.until((screen) => screen.findLast((line) => line !== '')?.startsWith('❯ /greet') ?? false);
    chat.press('ctrl-u');
    await chat.ready();
    expect(await chat.leave()).toBe(0);
  });

  it('/theme changes the colours of the running chat and saves the choice', async () => {
    await cli.configure();
    cli.server.setScript(() => ({ text: '# Head' }));
    const chat = await openChat(cli, { env: {} });
    await chat.ready();
    chat.send('/theme');
    await chat.until(selects('auto'));
    chat.type('contrast');
    await chat.until(selects('high-contrast'));
    chat.press('enter');
    await chat.until((screen) => isReady(screen) && shows('Theme: high-contrast, saved.')(screen));
    const before = chat.bytes().length;
    await chat.ask('hello', 'Head');
    // Bold and underlined, without a colour.
    expect(chat.bytes().slice(before)).toContain('\u001b[1;4mHead');
    expect(await cli.home.read('config.yaml')).toContain('theme: high-contrast');
    chat.send('/theme none');
    await chat.until((screen) => isReady(screen) && shows('Theme: none')(screen));
    const later = chat.bytes().length;
    await chat.ask('again', '# Head');
    // oxlint-disable-next-line no-control-regex
    expect(chat.bytes().slice(later)).not.toMatch(/\u001b\[[\d;]*m/);
    expect(await chat.leave()).toBe(0);
  });

  it('/config searches the settings, checks values, and saves them', async () => {
    await cli.configure();
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('/config');
    await chat.until(shows('Settings  1/'));
    chat.type('display.bell');
    await chat.until(selects('display.bell'));
    expect(chat.screen().join('\n')).toContain('true (default)');
    expect(chat.screen().join('\n')).toContain('Whether the terminal bell rings');
    chat.press('enter');
    await chat.until(shows('display.bell  1/2'));
    chat.press('down', 'enter');
    await chat.until((_, scrollback) => shows('display.bell = false, saved')(scrollback()));
    // The list opens again with the changed key selected.
    await chat.until(selects('display.bell'));
    chat.type('agent.max_turns');
    await chat.until(selects('agent.max_turns'));
    chat.press('enter');
    await chat.until(shows('agent.max_turns ›'));
    chat.send('many');
    await chat.until((_, scrollback) => shows('agent.max_turns must be')(scrollback()));
    chat.send('7');
    await chat.until((_, scrollback) => shows('agent.max_turns = 7, saved')(scrollback()));
    await chat.until(selects('agent.max_turns'));
    chat.press('esc');
    await chat.ready();
    const written = await cli.home.read('config.yaml');
    expect(written).toContain('bell: false');
    expect(written).toContain('max_turns: 7');
    expect(await chat.leave()).toBe(0);
  });
});
