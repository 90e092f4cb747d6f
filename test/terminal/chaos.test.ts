import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { dose } from '../support/dose.ts';
import { isBusy } from '../support/pty/chat-state.ts';
import type { Key } from '../support/pty/keys.ts';
import { seededRandom } from '../support/seeded-random.ts';

const cli = useCliFixture();
const KEYS: readonly Key[] = [
  'left',
  'right',
  'home',
  'end',
  'backspace',
  'tab',
  'shift-enter',
  'ctrl-w',
  'page-up',
  'delete',
];
const PARTS = Array.from({ length: 60 }, (_, index) =>
  `<${index}> 字 word${index} ${'and more '.repeat(index % 13)}`.trim(),
);

/** Finds the first word that is missing or out of order, and returns it with its neighbours. */
function firstMissing(words: readonly string[], text: readonly string[]): string | undefined {
  let position = 0;
  for (const [index, word] of words.entries()) {
    position = text.indexOf(word, position) + 1;
    if (position === 0) return words.slice(Math.max(0, index - 12), index + 2).join(' ');
  }
  return undefined;
}

describe('a user', () => {
  for (const seed of dose([3], [3, 5, 7])) {
    verifies(
      'SURF-1',
      `types, moves and resizes at random during an answer, and nothing is lost (${seed})`,
      // On a busy machine, output for the old size can arrive after a resize, which leaves a copy of the status line.
      { retry: 2 },
      async () => {
        await cli.configure();
        const busySeen = Promise.withResolvers<void>();
        cli.server.setScript(async () => {
          // On a busy machine the whole answer could arrive before this test reads the screen.
          await busySeen.promise;
          return { text: PARTS.join('\n\n'), chunkSize: 9, delayMs: 1 };
        });
        const random = seededRandom(seed);
        const below = (limit: number) => Math.floor(random() * limit);
        const chat = await openChat(cli, { columns: 70, rows: 20 });
        await chat.ready();
        chat.send('tell me');
        await chat.until(isBusy);
        busySeen.resolve();
        for (let part = 3; part < PARTS.length - 6; part += 3) {
          await chat.until((_screen, scrollback) => scrollback().some((line) => line.includes(`<${part}>`)));
          const what = below(4);
          if (what === 0) chat.resize(8 + below(110), 3 + below(40));
          else if (what === 1) chat.press(KEYS[below(KEYS.length)] as Key);
          else chat.type(['x', '字', 'a longer text that wraps ', '😀'][below(4)] as string);
        }
        chat.resize(100, 30);
        const said = () => chat.scrollback().join(' ').replaceAll(/\s+/g, ' ');
        // During a resize the live region may be missing for a moment, so only a screen with an input line and
        // without a spinner means that the turn has ended.
        const isIdle = (screen: readonly string[]) => !isBusy(screen) && screen.some((line) => line.startsWith('❯'));
        await chat.until((screen) => isIdle(screen) && said().includes(PARTS.at(-1) as string));
        chat.press('ctrl-c');
        await chat.ready();
        const text = said();
        expect(firstMissing(PARTS.join(' ').split(' '), text.split(' '))).toBe(undefined);
        expect(text.match(/Esc to interrupt/g)).toBe(null);
        expect(chat.emulator.clears).toEqual({ screen: 0, scrollback: 0, alternate: 0 });
        expect(await chat.leave()).toBe(0);
      },
    );
  }
});
