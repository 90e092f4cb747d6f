import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { type Chat, openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();

async function openReady(options: Parameters<typeof openChat>[1] = {}): Promise<Chat> {
  await cli.configure();
  const chat = await openChat(cli, options);
  await chat.ready();
  return chat;
}

const shows = (text: string) => (screen: string[]) => screen.some((line) => line.includes(text));
const isTyped = (text: string) => (screen: string[]) => screen.some((line) => line === `❯ ${text}`.trimEnd());

describe('typing on the screen', () => {
  verifies('SURF-1', 'supports letters, keys that move and delete, and several lines', async () => {
    const chat = await openReady();
    chat.type('helo wörld 字😀');
    await chat.until(isTyped('helo wörld 字😀'));
    chat.press('home', 'right', 'right', 'right');
    chat.type('l');
    await chat.until(isTyped('hello wörld 字😀'));
    // The cursor is after the last typed letter.
    expect(chat.emulator.terminal.buffer.active.cursorX).toBe('❯ hell'.length);
    chat.press('end', 'backspace', 'backspace');
    await chat.until(isTyped('hello wörld'));
    chat.press('ctrl-w');
    chat.type('you');
    chat.press('shift-enter');
    chat.type('and me');
    await chat.until(shows('and me'));
    expect(chat.typed()).toBe('hello you\nand me');
    expect(cli.server.requests).toHaveLength(0);
    chat.press('enter');
    expect((await cli.server.nextRequest()).lastUserText).toBe('hello you\nand me');
  });

  verifies('SURF-1', 'wraps wide characters at the edge of the window, with the cursor', fullDoseOnly, async () => {
    for (const columns of [20, 21]) {
      const chat = await openReady({ columns, rows: 12 });
      const text = '一二三四五六七八九十'.repeat(2);
      for (const character of text) chat.type(character);
      await chat.until((screen) => screen.join('').replaceAll(/\s/g, '').includes(text));
      expect(chat.typed().replaceAll('\n', '')).toBe(text);
      const { cursorX } = chat.emulator.terminal.buffer.active;
      const last = chat.screen().findLast((line) => line !== '') ?? '';
      expect(cursorX).toBe(2 + 2 * [...last.trim()].length);
      await chat.end();
    }
  });

  verifies(['SURF-1', 'SURF-3'], 'completes slash commands, with their descriptions', async () => {
    const chat = await openReady();
    chat.type('/us');
    await chat.until((screen) => screen.some((line) => /usage +show tokens/.test(line)));
    chat.press('tab');
    await chat.until((screen) => screen.some((line) => line.startsWith('❯ /usage')));
    chat.press('enter');
    await chat.until((_screen, scrollback) => scrollback().some((line) => line.startsWith('❯ /usage')));
    await chat.ready();
    // The list is gone, and no request was sent.
    expect(chat.screen().join('\n')).not.toContain('show tokens');
    expect(cli.server.requests).toHaveLength(0);
    chat.type('/xyzzy\r');
    await chat.until(shows('xyzzy'));
    await chat.ready();
  });

  verifies('SURF-1', 'completes files after an @', fullDoseOnly, async () => {
    await mkdir(join(cli.home.workspace, 'source'));
    await writeFile(join(cli.home.workspace, 'source', 'walrus.ts'), 'export const weight = 1;\n');
    const chat = await openReady();
    chat.type('look at @wal');
    await chat.until((screen) => screen.some((line) => !line.startsWith('❯') && line.includes('source/walrus.ts')));
    chat.press('tab');
    await chat.until((screen) => screen.some((line) => line.startsWith('❯ look at @source/walrus.ts')));
    chat.type('please');
    await chat.until(shows('please'));
    chat.press('enter');
    expect((await cli.server.nextRequest()).lastUserText).toMatch(/^look at @source\/walrus\.ts please/);
  });

  verifies('SURF-1', 'recalls input in the next chat by arrow key and by search', fullDoseOnly, async () => {
    cli.server.setScript(({ lastUserText }) => ({ text: `Read: ${lastUserText.length} letters.` }));
    const first = await openReady();
    await first.ask('the first question', 'Read: 18 letters.');
    await first.ask('another\u001b[13;2uin two lines', 'Read: 20 letters.');
    expect(await first.leave()).toBe(0);
    const second = await openReady();
    second.press('up');
    await second.until(shows('in two lines'));
    expect(second.typed()).toBe('another\nin two lines');
    second.press('up', 'up');
    await second.until(isTyped('the first question'));
    second.press('end', 'ctrl-u');
    await second.until(isTyped(''));
    second.press('ctrl-r');
    second.type('first');
    await second.until(shows('the first question'));
    second.press('enter');
    await second.until(isTyped('the first question'));
    second.press('enter');
    expect((await cli.server.waitForRequests(3)).at(-1)?.lastUserText).toBe('the first question');
  });
});
