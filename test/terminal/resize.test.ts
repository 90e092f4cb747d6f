import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { openChat } from '../support/chat.ts';
import { isBusy, isReady } from '../support/pty/chat-state.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();
const PARTS = Array.from(
  { length: 12 },
  (_, index) => `Part ${index + 1} begins here and ${'goes on and '.repeat(9)}ends.`,
);
const SIZES = [
  [100, 30],
  [41, 30],
  [120, 12],
  [33, 9],
  [80, 24],
] as const;

describe('resizing the window', () => {
  verifies('SURF-1', 'between turns: the live region follows, and scrollback output stays', fullDoseOnly, async () => {
    await cli.configure();
    cli.server.setScript(({ lastUserText }) => ({ text: `The answer to ${lastUserText}.` }));
    const chat = await openChat(cli, { columns: 100, rows: 30 });
    await chat.ready();
    for (const [index, [columns, rows]] of SIZES.entries()) {
      chat.resize(columns, rows);
      await chat.ask(`question ${index}`, `The answer to question ${index}.`);
    }
    const lines = chat.scrollback();
    for (const index of SIZES.keys()) {
      expect(lines.filter((line) => line === `❯ question ${index}`)).toHaveLength(1);
      expect(lines.filter((line) => line.includes(`The answer to question ${index}.`))).toHaveLength(1);
    }
    expectOneLivePart(lines);
    expect(chat.emulator.clears).toEqual({ screen: 0, scrollback: 0, alternate: 0 });
  });

  verifies('SURF-1', 'during an answer: every word is there once, in order', async () => {
    await cli.configure();
    const chat = await openChat(cli, { columns: 80, rows: 24 });
    await chat.ready();
    cli.server.setScript(() => ({ text: PARTS.join('\n\n'), chunkSize: 6, delayMs: 2 }));
    chat.send('tell me');
    for (const [index, [columns, rows]] of SIZES.entries()) {
      await chat.until(
        (screen, scrollback) =>
          scrollback().some((line) => line.includes(`Part ${index * 2 + 1} begins`)) || isReady(screen),
      );
      chat.type(`${index}`);
      chat.resize(columns, rows);
    }
    const last = PARTS.at(-1) as string;
    const said = () => chat.scrollback().join(' ').replaceAll(/\s+/g, ' ');
    await chat.until((screen) => !isBusy(screen) && screen.join('').includes('❯ 01234') && said().includes(last));
    const lines = chat.scrollback();
    const from = lines.indexOf('❯ tell me');
    const words = lines
      .slice(from + 1)
      .join(' ')
      .split(/\s+/)
      .join(' ');
    expect(words).toContain(PARTS.join(' '));
    expect(words.match(/Part \d+ begins/g)).toHaveLength(PARTS.length);
    expectOneLivePart(lines);
    expect(chat.emulator.clears.scrollback + chat.emulator.clears.alternate).toBe(0);
  });

  verifies('SURF-1', 'redraws the input at the new width', async () => {
    await cli.configure();
    const chat = await openChat(cli, { columns: 60, rows: 20 });
    await chat.ready();
    const words = Array.from({ length: 14 }, (_, index) => `word${index}`).join(' ');
    chat.type(words);
    await chat.until('word13');
    for (const columns of [25, 90, 31, 60]) {
      chat.resize(columns, 20);
      await chat.until((screen) => screen.filter((line) => line.includes('word13')).length === 1);
    }
    await chat.until((screen) => screen.filter((line) => line.startsWith('❯')).length === 1);
    expect(chat.typed().split(/\s+/).join(' ')).toBe(words);
    chat.press('enter');
    expect((await cli.server.nextRequest()).lastUserText).toBe(words);
  });
});

/** No remains of an earlier live region are visible anywhere. */
function expectOneLivePart(lines: readonly string[]): void {
  expect(lines.filter((line) => /of window|Esc to interrupt/.test(line)).length).toBeLessThanOrEqual(1);
  expect(lines.filter((line) => line.trim() === '❯').length).toBeLessThanOrEqual(1);
}
