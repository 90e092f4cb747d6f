import { expect, it } from 'vitest';
import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';
import { openEarlyTerminal } from './early-terminal.ts';

function open() {
  const seen: string[] = [];
  let keys: ChatTerminalHandlers | undefined;
  const early = openEarlyTerminal((handlers) => {
    keys = handlers;
    return {} as ChatTerminal;
  });
  const chat = {
    onLines: (text: string, how?: string) => void seen.push(`${text}${how === undefined ? '' : ` (${how})`}`),
    onInterrupt: (typed: string) => void seen.push(`interrupt ${typed}`),
    onStop: () => void seen.push('stop'),
    onEnd: () => void seen.push('end'),
  } as ChatTerminalHandlers;
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { early, keys: keys as ChatTerminalHandlers, chat, seen, settle };
}

it('queues input in order until the chat is connected', async () => {
  const { early, keys, chat, seen, settle } = open();
  keys.onLines('first');
  keys.onStop();
  keys.onInterrupt('half a line');
  keys.onLines('second', 'queue');
  keys.onEnd();
  early.connect(chat);
  expect(seen).toEqual([]);
  await settle();
  expect(seen).toEqual(['first', 'second (queue)', 'end']);
});

it('passes all input through once the chat is connected', async () => {
  const { early, keys, chat, seen, settle } = open();
  early.connect(chat);
  await settle();
  keys.onLines('line');
  keys.onInterrupt('half a line');
  keys.onStop();
  expect(seen).toEqual(['line', 'interrupt half a line', 'stop']);
});
