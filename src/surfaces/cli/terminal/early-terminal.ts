import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';

/** A terminal that takes keys before there is a chat behind it. */
export interface EarlyTerminal {
  /** From now on what the person does reaches the chat, and first what was done already. */
  connect(handlers: ChatTerminalHandlers): ChatTerminal;
  close(): void;
}

/** Lines wait for the chat; whoever wants to leave does so as soon as there is one. */
export function openEarly(open: (handlers: ChatTerminalHandlers) => ChatTerminal): EarlyTerminal {
  let chat: ChatTerminalHandlers | undefined;
  let early: ((handlers: ChatTerminalHandlers) => void)[] = [];
  const reach = (action: (handlers: ChatTerminalHandlers) => void) => (chat ? action(chat) : void early.push(action));
  const terminal = open({
    onLines: (text, how) => reach((handlers) => handlers.onLines(text, how)),
    // Nothing runs yet that could be interrupted: what was typed is cleared, and nothing else happens.
    onInterrupt: (typed) => (typed === '' ? reach((handlers) => handlers.onInterrupt('')) : chat?.onInterrupt(typed)),
    onStop: () => chat?.onStop(),
    onAnswer: (answer) => chat?.onAnswer(answer),
    onTakeBack: () => chat?.onTakeBack(),
    onFile: async (path) => (await chat?.onFile(path)) ?? false,
    onEnd: () => reach((handlers) => handlers.onEnd()),
  });
  return {
    connect(handlers) {
      chat = handlers;
      const waiting = early;
      early = [];
      // Not before the chat is put together, to which these belong.
      setImmediate(() => {
        for (const action of waiting) action(handlers);
      });
      return terminal;
    },
    close: terminal.close,
  };
}
