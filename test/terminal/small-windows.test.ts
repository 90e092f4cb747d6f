import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { someOf } from '../support/dose.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isReady } from '../support/pty/chat-state.ts';

const cli = useCliFixture();

describe('unusual window sizes', () => {
  const SIZES = [
    [12, 4],
    [40, 2],
    [300, 60],
  ] as const;
  for (const [columns, rows] of someOf(SIZES, 3)) {
    verifies('SURF-1', `a window of ${columns} by ${rows} is usable`, async () => {
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
});
