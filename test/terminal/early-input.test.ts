import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { type Chat, openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();
// oxlint-disable-next-line no-control-regex
const EARLY_LINE = /^\u001b\[\?2004h❯/;
const RESTORED = /(?<!-)icanon[^]*(?<!-)echo\b/;

/** As long as the file exists, the program reads keys and loads nothing further. */
const HOLD = `
  const { existsSync } = process.getBuiltinModule('node:fs');
  const { setImmediate: next } = globalThis;
  globalThis.setImmediate = (run, ...rest) =>
    existsSync(process.env.HOLD_FILE) ? setTimeout(globalThis.setImmediate, 2, run, ...rest) : next(run, ...rest);`;

/** A home directory in which a chat was open before. */
async function useHome(): Promise<void> {
  await cli.configure();
  const chat = await openChat(cli);
  await chat.ready();
  expect(chat.bytes()).not.toMatch(EARLY_LINE);
  await expect.poll(() => existsSync(join(cli.home.path, 'cache/first-frame.json')), { timeout: 10_000 }).toBe(true);
  await chat.end();
}

async function openHeld(script?: string): Promise<{ chat: Chat; load(): void }> {
  const file = join(cli.home.path, 'hold');
  writeFileSync(file, '');
  const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(HOLD)}`];
  const env = { NO_COLOR: '1', HOLD_FILE: file };
  const chat = await openChat(cli, { nodeArguments, env, ...(script !== undefined && { script }) });
  await chat.until((screen) => screen.includes('❯'));
  expect(chat.bytes()).toMatch(EARLY_LINE);
  return { chat, load: () => rmSync(file) };
}

const isTyped = (text: string) => (screen: string[]) => screen.includes(`❯ ${text}`);

describe('the input line of a second chat', () => {
  verifies('SURF-1', 'takes keys before the program is loaded, and keeps all of them', async () => {
    await useHome();
    const { chat, load } = await openHeld();
    chat.type('hello wörldx');
    chat.press('backspace');
    await chat.until(isTyped('hello wörld'));
    // These need the real input line, which gets the same keys.
    chat.press('home');
    chat.type('say 字');
    chat.paste('\nand\nmore');
    load();
    await chat.until((screen) => screen.some((line) => line.startsWith('Hermes ')));
    await chat.until((screen) => screen.join('\n').includes('more'));
    expect(chat.typed()).toBe('say 字\nand\nmorehello wörld');
    chat.press('enter');
    expect((await cli.server.nextRequest()).lastUserText).toBe('say 字\nand\nmorehello wörld');
    await chat.ready();
    expect(chat.scrollback().filter((line) => line.startsWith('❯ say'))).toHaveLength(1);
    expect(chat.emulator.clears).toEqual({ screen: 0, scrollback: 0, alternate: 0 });
  });

  verifies('SURF-1', 'sends a line that was finished before the program was loaded', async () => {
    await useHome();
    cli.server.setScript(() => ({ text: 'Good morning.' }));
    const { chat, load } = await openHeld();
    chat.type('hello\rnext');
    await chat.until(isTyped('next'));
    load();
    await chat.until('Good morning.');
    await chat.until(isTyped('next'));
    expect(chat.scrollback().filter((line) => line === '❯ hello')).toHaveLength(1);
  });

  verifies('SURF-1', 'can be left immediately, and restores the terminal', async () => {
    await useHome();
    const leave = async (code: number, how: (chat: Chat) => void) => {
      const { chat } = await openHeld('"$@"; echo "left with $?"; stty -a');
      how(chat);
      await chat.exited;
      // The shell itself reports the signal.
      expect(chat.scrollback().filter((line) => line !== 'Terminated')[0]).toBe(`left with ${code}`);
      expect(chat.scrollback().join('\n')).toMatch(RESTORED);
      expect(chat.emulator.terminal.modes.bracketedPasteMode).toBe(false);
    };
    await leave(0, (chat) => chat.press('ctrl-d'));
    await leave(130, (chat) => chat.press('ctrl-c'));
    await leave(130, (chat) => chat.type('some text\u0003\u0003'));
    await leave(143, (chat) => process.kill(chat.pid(), 'SIGTERM'));
  });

  verifies('SURF-1', 'is not shown early when the configuration has changed', async () => {
    await useHome();
    await cli.configure('display:\n  plain: true\n');
    const chat = await openChat(cli);
    await chat.until(/^❯/m);
    expect(chat.bytes()).not.toContain('\u001b[?2004h');
  });
});
