import { describe, expect } from 'vitest';
import { applyCompression, inputOf, step } from '../../test/support/context-fixture.ts';
import { verifies } from '../../test/spec/verifies.ts';
import type { Message } from '../base/index.ts';
import { ownBlock } from '../base/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createContextEngine } from './index.ts';
import { findLostReferences } from './lost-references.ts';

const LONG = 'line of output\n'.repeat(150);
const UNCHANGED =
  'a.ts has not changed since you last read these lines, so they are not repeated. Use the earlier result.';
const DIFF =
  '[a.ts has changed. This is the diff to the earlier result that shows the whole file; all other lines are unchanged.]';

/** A call of read_file and its result. */
function read(id: string, args: object, content: string): Message[] {
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name: 'read_file', arguments: JSON.stringify(args) }] },
    { role: 'tool', toolCallId: id, toolName: 'read_file', content },
  ];
}

/** The indexes of lost references if the messages with these indexes were changed. */
const lostIn = (messages: readonly Message[], ...changed: number[]) => [
  ...findLostReferences(messages, (index) => !changed.includes(index)),
];

describe('a result that refers to an earlier one', () => {
  verifies(['CTX-13', 'TOOL-5'], 'is lost with the result that shows the same lines of the same file', () => {
    const messages = [
      ...read('a', { path: 'a.ts' }, LONG),
      ...read('b', { path: 'b.ts' }, LONG),
      ...read('c', { path: 'a.ts', offset: 100 }, LONG),
      ...read('d', { path: './a.ts' }, UNCHANGED),
    ];
    expect(lostIn(messages)).toEqual([]);
    expect(lostIn(messages, 3, 5)).toEqual([]);
    expect(lostIn(messages, 1)).toEqual([7]);
    // Nothing shows the lines any more.
    expect(lostIn(messages.slice(2))).toEqual([5]);
  });

  verifies(['CTX-13', 'TOOL-5'], 'needs the newest complete result and all differences to it', () => {
    const messages = [
      ...read('a', { path: 'a.ts' }, 'old text'),
      ...read('b', { path: ['a.ts', 'b.ts'] }, LONG),
      ...read('c', { path: 'a.ts' }, `${DIFF}\n@@ -1 +1 @@`),
      ...read('d', { path: 'a.ts' }, UNCHANGED),
    ];
    expect(lostIn(messages, 1)).toEqual([]);
    expect(lostIn(messages, 3)).toEqual([5, 7]);
    expect(lostIn(messages, 5)).toEqual([7]);
  });

  verifies(['CTX-13', 'TOOL-5'], 'is not lost with an older text than that of a read of several files', () => {
    const several = `${UNCHANGED}\n\nb.ts\nnew text of b`;
    const messages = [
      ...read('a', { path: 'a.ts' }, LONG),
      ...read('b', { path: 'b.ts' }, 'old text of b'),
      ...read('c', { path: ['a.ts', 'b.ts'] }, several),
      ...read('d', { path: 'b.ts' }, UNCHANGED.replace('a.ts', 'b.ts')),
    ];
    expect(lostIn(messages, 3)).toEqual([]);
    expect(lostIn(messages, 5)).toEqual([7]);
    expect(lostIn(messages, 1)).toEqual([5]);
    const both = `${UNCHANGED}\n\n${UNCHANGED.replace('a.ts', 'b.ts')}`;
    expect(lostIn([...messages, ...read('e', { path: ['a.ts', 'b.ts'] }, both)], 1)).toEqual([5, 9]);
  });

  verifies(
    ['CTX-13', 'TOOL-5'],
    'says that it is lost after the compression, once and before what the user said',
    async () => {
      const said = ownBlock('steering').write('Hurry up.');
      const messages: Message[] = [
        { role: 'user', content: 'Read everything.' },
        ...read('a', { path: 'a.ts' }, LONG),
        ...Array.from({ length: 25 }, (_, index) => step(`s${index}`, [LONG])).flat(),
        ...read('b', { path: 'a.ts' }, UNCHANGED + said),
        ...step('last', ['x']),
      ];
      const engine = createContextEngine({}, { auxiliary: undefined, logger: silentLogger, clock: createFakeClock() });
      for (const reason of ['results', 'command'] as const) {
        const input = inputOf(messages, { contextLength: 24_000, reason });
        const after = applyCompression(messages, (await engine.compress(input))?.messages ?? []);
        const reference = after.find((message) => message.role === 'tool' && message.toolCallId === 'b');
        expect(reference?.content).toBe(
          `${UNCHANGED}\n\n[The earlier result was omitted to save context. Read the file again if you need its text.]${said}`,
        );
        expect(findLostReferences(after, () => true).size).toBe(0);
      }
    },
  );
});
