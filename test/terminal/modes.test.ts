import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { openChat } from '../support/chat.ts';
import { isBusy } from '../support/pty/chat-state.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[(?:[34]\d|9\d|10\d|[34]8[;:][\d;:]*)(?:;[\d;]*)?m/;
/** The terminal modes as a shell expects them. */
const AFTER = '; echo "left with $?"; stty -a';
const RESTORED = /(?<!-)icanon[^]*(?<!-)echo\b/;

describe('the terminal around a chat', () => {
  verifies('SURF-1', 'earlier output stays, and leaving restores all modes', async () => {
    await cli.configure();
    const chat = await openChat(cli, { script: `seq 1 100; "$@"${AFTER}`, rows: 20 });
    await chat.ready();
    expect(chat.emulator.terminal.modes.bracketedPasteMode).toBe(true);
    cli.server.setScript(() => ({ text: 'Fine.' }));
    await chat.ask('hello', 'Fine.');
    chat.press('ctrl-d');
    await chat.exited;
    const lines = chat.scrollback();
    expect(lines.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, index) => `${index + 1}`));
    expect(lines).toContain('left with 0');
    expect(lines.join('\n')).toMatch(RESTORED);
    expect(lines.join('\n')).toContain('hermes --resume');
    expectRestored(chat);
    expect(chat.emulator.clears).toEqual({ screen: 0, scrollback: 0, alternate: 0 });
  });

  verifies('SURF-1', 'modes are restored if the program is terminated during an answer', async () => {
    await cli.configure();
    cli.server.setScript(() => ({ text: 'never finished', fault: { type: 'stall', afterEvents: 2 } }));
    const chat = await openChat(cli, { args: ['chat', 'begin'], script: `"$@"${AFTER}` });
    await chat.until((screen) => isBusy(screen) && screen.some((line) => line.includes('never')));
    process.kill(chat.pid(), 'SIGTERM');
    await chat.exited;
    expect(chat.scrollback().join('\n')).toMatch(RESTORED);
    expectRestored(chat);
  });

  verifies(
    'SURF-1',
    'modes are restored after an internal error, which is reported in two lines',
    fullDoseOnly,
    async () => {
      await cli.configure();
      const fault = "process.once('SIGUSR2', () => setInterval(() => { throw new TypeError('a stray one'); }, 1));";
      const chat = await openChat(cli, {
        script: `"$@"${AFTER}`,
        nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(fault)}`],
      });
      await chat.ready();
      process.kill(chat.pid(), 'SIGUSR2');
      await chat.exited;
      const lines = chat.scrollback();
      expect(lines).toContain('left with 1');
      expect(lines.filter((line) => line.includes('a stray one'))).toHaveLength(1);
      expect(lines.join('\n')).not.toMatch(/^ +at /m);
      expectRestored(chat);
    },
  );

  verifies('SURF-1', 'NO_COLOR removes colours without losing meaning', fullDoseOnly, async () => {
    await cli.configure();
    cli.server.setScript(() => ({ text: '# Head\n\n**bold** `code`\n\n```ts\nconst a = 1;\n```' }));
    const chats = [await openChat(cli), await openChat(cli, { env: {} })];
    for (const chat of chats) {
      await chat.ready();
      await chat.ask('show me', 'const a');
    }
    expect(chats[0]?.bytes()).not.toMatch(COLOUR);
    expect(chats[1]?.bytes()).toMatch(COLOUR);
    // Without colours, Markdown markers such as `#` are shown instead.
    expect(chats[0]?.screen()).toContain('# Head');
    expect(chats[1]?.screen()).toContain('Head');
  });

  for (const [name, options] of [
    ['--plain', { args: ['--plain'] }],
    ['TERM=dumb', { env: { TERM: 'dumb', COLORTERM: undefined } }],
  ] as const) {
    verifies('SURF-1', `${name}: plain lines, nothing is redrawn`, async () => {
      await cli.configure();
      cli.server.setScript(() => ({ text: 'A **plain** answer.' }));
      const chat = await openChat(cli, options);
      await chat.until(/^❯/m);
      chat.send('hello');
      await chat.until('A **plain** answer.');
      chat.press('ctrl-d');
      expect(await chat.exited).toBe(0);
      expect(chat.bytes()).not.toContain('\u001b[?2026h');
      expect(chat.bytes()).not.toContain('\u001b[?2004h');
      expect(chat.emulator.clears).toEqual({ screen: 0, scrollback: 0, alternate: 0 });
    });
  }
});

function expectRestored({ emulator, bytes }: Awaited<ReturnType<typeof openChat>>): void {
  expect(emulator.terminal.modes.bracketedPasteMode).toBe(false);
  expect(emulator.terminal.modes.synchronizedOutputMode).toBe(false);
  const written = bytes();
  expect(written.lastIndexOf('\u001b[?25h')).toBeGreaterThan(written.lastIndexOf('\u001b[?25l'));
}
