import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isReady } from '../support/pty/chat-signs.ts';

const cli = useCliFixture();

describe('odd windows and pauses', () => {
  for (const [columns, rows] of [
    [12, 4],
    [40, 2],
    [300, 60],
  ] as const) {
    verifies('SURF-1', `a window of ${columns} by ${rows} can be worked in`, async () => {
      await cli.configure();
      cli.server.setScript(() => ({ text: '# Head\n\n| a | b |\n|---|---|\n| one | two |\n\nThe last words.' }));
      const chat = await openChat(cli, { columns, rows });
      await chat.until(isReady);
      chat.type('a question of some words');
      await chat.until((screen) => screen.join(' ').includes('words'));
      chat.press('enter');
      expect((await cli.server.nextRequest()).lastUserText).toBe('a question of some words');
      await chat.until((screen, scrollback) => isReady(screen) && /last\s+words\./.test(scrollback().join('\n')));
      expect(chat.screen().every((line) => line.length <= columns)).toBe(true);
      expect(chat.emulator.clears).toEqual({ screen: 0, scrollback: 0, alternate: 0 });
      expect(await chat.leave()).toBe(0);
    });
  }

  verifies(
    'SURF-1',
    'Ctrl-Z gives the terminal back to the shell, and fg brings the chat with what was typed',
    async () => {
      await cli.configure();
      const chat = await openChat(cli, { script: 'set -m; "$@"; echo; stty -a; echo "in the shell"; read line; fg' });
      await chat.ready();
      chat.type('half a thought');
      await chat.until((screen) => screen.includes('❯ half a thought'));
      chat.press('ctrl-z');
      await chat.until('in the shell');
      expect(chat.scrollback().join('\n')).toMatch(/(?<!-)icanon[^]*(?<!-)echo\b/);
      expect(chat.emulator.terminal.modes.bracketedPasteMode).toBe(false);
      chat.type('\r');
      await chat.until((screen) => screen.findLast((line) => line !== '') === '❯ half a thought');
      chat.send(' to its end');
      expect((await cli.server.nextRequest()).lastUserText).toBe('half a thought to its end');
      await chat.ready();
      expect(await chat.leave()).toBe(0);
    },
  );

  verifies(
    'SURF-1',
    'a question of the model is answered by its number or in words, and what was typed comes back',
    async () => {
      await cli.configure();
      cli.server.setScript(({ toolResults }) =>
        toolResults.length === 0
          ? {
              toolCalls: [{ name: 'clarify', arguments: { question: 'Which one?', choices: ['the red', 'the blue'] } }],
            }
          : { text: `Taken: ${toolResults[0]?.content}` },
      );
      const chat = await openChat(cli, { args: ['begin'] });
      await chat.until((screen) => screen.some((line) => line.includes('2. the blue')));
      chat.type('2');
      await chat.until((screen) => screen.some((line) => line.endsWith('› 2')));
      chat.press('enter');
      await chat.until((screen, scrollback) => isReady(screen) && /Taken:/.test(scrollback().join('\n')));
      expect(cli.server.requests.at(-1)?.toolResults[0]?.content).toContain('the blue');
    },
  );
});
