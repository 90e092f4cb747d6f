import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { step } from '../../test/support/context-fixture.ts';
import type { Message } from '../base/index.ts';
import type { NumberedMessage } from './conversation.ts';
import { type BoundaryLimits, findBoundaries } from './compression-plan.ts';

/** In these tests, a message has as many tokens as its text has characters. */
const tokensOf = (numbered: readonly NumberedMessage[]) =>
  numbered.reduce((sum, { message }) => sum + message.content.length, 0);

function divide(messages: readonly Message[], limits: Partial<BoundaryLimits>, formerAt?: number) {
  const numbered = messages.map((message, index) => ({ index, number: index + 1, message, changed: false }));
  const all = { headMessages: 2, tailTokens: 100, lastMessages: 20, leastMessages: 3, ...limits };
  const { head, middle, tail } = findBoundaries(numbered, all, tokensOf, formerAt);
  return [head, middle, tail].map((part) => part.map(({ index }) => index));
}

const user = (content: string): Message => ({ role: 'user', content });
const said = (content: string): Message => ({ role: 'assistant', content });
/** Messages of 10 tokens each, with alternating roles. */
const talk = (count: number) =>
  Array.from({ length: count }, (_, n) => (n % 2 === 0 ? user : said)(`message ${n}`.padEnd(10)));

describe('finding the boundaries of head, middle and tail', () => {
  verifies('CTX-6', 'keeps the first exchange as head, and ends the tail with its token budget', () => {
    const [head, middle, tail] = divide(talk(40), { lastMessages: 1 });
    expect(head).toEqual([0, 1]);
    expect(tail).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
    expect(middle).toHaveLength(28);
  });

  verifies(
    'CTX-6',
    'keeps a number of small messages as long as they are under one and a half times the budget',
    () => {
      expect(divide(talk(40), { lastMessages: 12 })[2]).toHaveLength(12);
      // 15 messages would reach one and a half times the budget.
      expect(divide(talk(40), { lastMessages: 20 })[2]).toHaveLength(14);
    },
  );

  verifies('CTX-6', 'always keeps three messages and the newest user message, however large they are', () => {
    const large = [...talk(10), said('x'.repeat(500)), user('y'.repeat(500)), said('z'.repeat(500))];
    expect(divide(large, {})[2]).toEqual([10, 11, 12]);
    const working = [
      user('first'),
      said('yes'),
      user('the wish'),
      ...Array.from({ length: 20 }, (_, n) => step(`${n}`, ['x'.repeat(40)])).flat(),
    ];
    const [, middle, tail] = divide(working, { lastMessages: 1 });
    expect(tail).toEqual([2, 39, 40, 41, 42]);
    expect(middle).not.toContain(2);
  });

  verifies('CTX-6', 'never separates a call from its results', () => {
    const calls = [
      user('go'),
      ...step('a', ['1', '2', '3']),
      ...step('b', ['x'.repeat(60), 'y'.repeat(60)]),
      ...step('c', ['z']),
    ];
    // The head extends to the last result of its answer; the tail includes a group completely or not at all.
    expect(divide(calls, { lastMessages: 1, leastMessages: 1 })).toEqual([
      [0, 1, 2, 3, 4],
      [5, 6, 7],
      [8, 9],
    ]);
    expect(divide(calls, { leastMessages: 3 })[2]).toEqual([5, 6, 7, 8, 9]);
  });

  verifies(['CTX-6', 'CTX-7'], 'separates head and tail at a previous summary', () => {
    expect(divide(talk(10), { tailTokens: 1_000 }, 4)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5, 6, 7, 8, 9],
    ]);
    expect(divide(talk(6), { tailTokens: 1_000 }, 0)).toEqual([[], [], [0, 1, 2, 3, 4, 5]]);
  });

  verifies('CTX-6', 'finds no middle in a conversation of a few messages', () => {
    expect(divide([user('hello'), said('hello')], {})).toEqual([[0, 1], [], []]);
    expect(divide([], {})).toEqual([[], [], []]);
  });
});
