import { expect } from 'vitest';
import type { CliFixture } from './cli-fixture.ts';
import { startTerminal } from './terminal.ts';

/** Opens a chat in plain mode and waits for its first prompt. */
export async function openPlainChat(cli: Pick<CliFixture, 'home'>, ...args: string[]) {
  const chat = startTerminal(cli.home, args);
  await chat.see('❯ ');
  return {
    ...chat,
    /** Types a line and returns the output up to the next prompt. */
    async say(line: string, until: string): Promise<string> {
      const from = chat.output().length;
      chat.type(`${line}\r`);
      await chat.see(until);
      await chat.see('❯ ');
      return chat.output().slice(from);
    },
    async leave() {
      chat.type('\u0004');
      expect(await chat.exited).toBe(0);
    },
  };
}
