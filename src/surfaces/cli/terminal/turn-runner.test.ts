import { expect, it } from 'vitest';
import { resultWith } from '../../../../test/support/run-result.ts';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { ConversationTurn } from '../../../conversations/index.ts';
import { createLineQueue } from './line-queue.ts';
import type { QuestionQueue } from './question-queue.ts';
import { createTurnRunner } from './turn-runner.ts';

/** A turn that runs until it is interrupted and either accepts or rejects steered messages. */
function startTurn(takesMore: boolean) {
  const lines = createLineQueue();
  const noted: string[] = [];
  const over = Promise.withResolvers<void>();
  const steered: string[] = [];
  const turn: ConversationTurn = {
    id: 'task_1',
    isRunning: () => true,
    read: () => turn[Symbol.asyncIterator](),
    result: over.promise.then(() => resultWith({ exitReason: 'interrupted', interrupted: true })),
    steer: (text) => takesMore && steered.push(text) > 0,
    interrupt: () => over.resolve(),
    async *[Symbol.asyncIterator]() {
      await over.promise;
      yield* [];
    },
  };
  const questions: QuestionQueue = {
    show: () => false,
    answer: () => false,
    respond: () => undefined,
    close: () => undefined,
  };
  const turns = createTurnRunner({
    terminal: {
      beginTurn: () => ({ show: () => undefined, finish: () => undefined }),
      beginWork: () => undefined,
      endTurn: () => undefined,
      showSteered: (text) => void noted.push(text),
    },
    display: { contextLength: async () => undefined, verbosity: () => 'normal' },
    conversation: { sessionId: 's', queue: () => turn },
    onEvent: () => undefined,
    busyMode: 'steer',
    lines,
    questions,
  });
  const result = turns.run({ text: 'begin' });
  return { turns, lines, steered, noted, result };
}

verifies(
  'LOOP-8',
  'steers the turn with a typed line, or queues the line if the turn accepts no more messages',
  async () => {
    for (const takesMore of [true, false]) {
      const { turns, lines, steered, noted, result } = startTurn(takesMore);
      turns.handleLine('use the blue one');
      expect({ steered, waiting: !lines.isIdle() }).toEqual({
        steered: takesMore ? ['use the blue one'] : [],
        waiting: !takesMore,
      });
      expect(noted).toEqual(steered);
      if (!takesMore) expect(await lines.next()).toBe('use the blue one');
      turns.interrupt();
      await result;
    }
  },
);

it('queues commands', async () => {
  const { turns, lines, steered, result } = startTurn(true);
  turns.handleLine('/model');
  expect(await lines.next()).toBe('/model');
  expect(steered).toEqual([]);
  turns.interrupt();
  expect((await result).interrupted).toBe(true);
});
