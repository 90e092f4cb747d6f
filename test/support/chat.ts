import type { CliFixture } from './cli-fixture.ts';
import { openTerminal } from './open-terminal.ts';
import { isReady } from './pty/chat-state.ts';
import type { TerminalOptions, TerminalProcess } from './pty/terminal-process.ts';

export interface Chat extends TerminalProcess {
  /** Resolves when the chat has started, a line can be typed, and no turn is running. */
  ready(): Promise<void>;
  /** Types a line and sends it. */
  send(line: string): void;
  /** Sends a line and waits until its answer is shown and the turn has ended. */
  ask(line: string, answer: string): Promise<void>;
  /** The current text of the input. */
  typed(): string;
  leave(): Promise<number>;
}

/** A chat on the screen, with the home of a test. */
export async function openChat(cli: CliFixture, options: Omit<TerminalOptions, 'home'> = {}): Promise<Chat> {
  const terminal = openTerminal({ home: cli.home, env: { NO_COLOR: '1' }, ...options });
  const ready = () => terminal.until((screen, scrollback) => isReady(screen) && scrollback().some(isBanner));
  const send = (line: string) => terminal.type(`${line}\r`);
  const chat: Chat = {
    ...terminal,
    ready,
    send,
    async ask(line, answer) {
      send(line);
      await terminal.until((screen) => isReady(screen) && screen.some((shown) => shown.includes(answer)));
    },
    typed: () => typedText(terminal.screen()),
    async leave() {
      terminal.press('ctrl-d');
      return terminal.exited;
    },
  };
  return chat;
}

const isBanner = (line: string) => line.startsWith('Hermes ');

/** From the input marker to the end of the screen. */
function typedText(screen: readonly string[]): string {
  const start = screen.findLastIndex((line) => line.startsWith('❯'));
  return screen
    .slice(start)
    .map((line) => line.slice(2))
    .join('\n')
    .trimEnd();
}
