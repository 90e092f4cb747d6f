import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';

/** A terminal that accepts input before its chat exists. */
export interface EarlyTerminal {
  /** Connects the chat: it first receives the input that arrived so far, then everything that follows. */
  connect(handlers: ChatTerminalHandlers): ChatTerminal;
  close(): void;
}

/** Queues lines and the request to leave until the chat is connected. */
export function openEarlyTerminal(open: (handlers: ChatTerminalHandlers) => ChatTerminal): EarlyTerminal {
  let chat: ChatTerminalHandlers | undefined;
  let early: ((handlers: ChatTerminalHandlers) => void)[] = [];
  const reach = (action: (handlers: ChatTerminalHandlers) => void) => (chat ? action(chat) : void early.push(action));
  const terminal = open({
    onLines: (text, how) => reach((handlers) => handlers.onLines(text, how)),
    // Nothing is running yet that could be interrupted, so Ctrl-C only clears the line.
    onInterrupt: (typed) => (typed === '' ? reach((handlers) => handlers.onInterrupt('')) : chat?.onInterrupt(typed)),
    onStop: () => chat?.onStop(),
    onAnswer: (answer) => chat?.onAnswer(answer),
    onEditQueued: () => chat?.onEditQueued(),
    onFileDropped: async (path) => (await chat?.onFileDropped(path)) ?? false,
    onPasteImage: (quietly) => chat?.onPasteImage(quietly),
    onEnd: () => reach((handlers) => handlers.onEnd()),
  });
  return {
    connect(handlers) {
      chat = handlers;
      const waiting = early;
      early = [];
      // Deferred, because the handlers use parts of the chat that are created after this call.
      setImmediate(() => {
        for (const action of waiting) action(handlers);
      });
      return terminal;
    },
    close: terminal.close,
  };
}
