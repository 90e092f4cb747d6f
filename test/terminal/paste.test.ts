import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();

describe('a paste', () => {
  verifies('SURF-1', 'of 5,000 lines is one token in the input and reaches the model completely', async () => {
    await cli.configure();
    const text = Array.from(
      { length: 5_000 },
      (_, index) => `line ${index + 1}: "quoted" \\ 字 😀 é ${index * 7}`,
    ).join('\n');
    const chat = await openChat(cli, { rows: 24 });
    await chat.ready();
    chat.type('look: ');
    chat.paste(text);
    await chat.until((screen) => screen.some((line) => /❯ look: \[.*5,?000 lines.*\]/.test(line)));
    chat.type(' what is it?');
    await chat.until((screen) => screen.some((line) => line.includes('what is it?')));
    expect(chat.screen().filter((line) => line.includes('line 7:'))).toEqual([]);
    chat.press('enter');
    const { lastUserText } = await cli.server.nextRequest();
    expect(lastUserText).toBe(`look: ${text} what is it?`);
    await chat.ready();
    // The paste is abbreviated on the screen; the session has the full text.
    expect(chat.scrollback().length).toBeLessThan(100);
    expect(await chat.leave()).toBe(0);
  });

  verifies(
    'SURF-1',
    'of a few lines stays as it is, sends nothing by itself, and executes no control characters',
    async () => {
      await cli.configure();
      const chat = await openChat(cli);
      await chat.ready();
      chat.paste('one\ntwo\u001b[31m\u0003\nthree');
      await chat.until((screen) => screen.some((line) => line.includes('three')));
      expect(cli.server.requests).toHaveLength(0);
      chat.press('enter');
      const { lastUserText } = await cli.server.nextRequest();
      expect(lastUserText).toMatch(/^one\ntwo[^]*\nthree$/);
      await chat.ready();
      expect(await chat.leave()).toBe(0);
    },
  );
});
