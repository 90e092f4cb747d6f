import { sandboxSkipReason } from '../../src/environments/skip-tests.fixture.ts';

type Dialog = { see(text: string): Promise<unknown>; type(text: string): void };

const DOWN = '\u001b[B';

/** Answers the question of `hermes setup` about the sandbox, which is asked only where the sandbox works. */
export async function declineSandbox(chat: Dialog): Promise<void> {
  if (sandboxSkipReason() !== '') return;
  await chat.see('Where should commands run?');
  await chat.see('Directly on this machine');
  chat.type(`${DOWN}${DOWN}\r`);
}
