import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { MemoryOperation } from '../contracts/index.ts';
import { changeMemory } from './change-memory.ts';
import { entriesOf, formatMemory, measureEntries, parseMemory } from './memory-text.ts';

const texts = (content: string) => entriesOf(parseMemory(content)).map(({ text }) => text);

/** Text as people leave it: a mixture of meaningful characters and anything else. */
const anyFile = fc
  .array(
    fc.oneof(
      fc.constantFrom('§', '\n', '\r\n', '\r', ' § ', '\t', 'likes tea', 'a § b', '§§', '\ufeff', '', '<<<<<<< HEAD'),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));
const anyEntry = fc.oneof(fc.constantFrom('likes tea', 'a § b', 'x\ny', '  padded  '), fc.string({ maxLength: 20 }));
const anyOperation: fc.Arbitrary<MemoryOperation> = fc.oneof(
  fc.record({ action: fc.constant('add' as const), content: anyEntry }),
  fc.record({ action: fc.constant('replace' as const), oldText: anyEntry, content: anyEntry }),
  fc.record({ action: fc.constant('remove' as const), oldText: anyEntry }),
);

describe('the text of a memory', () => {
  const cases: [content: string, entries: string[]][] = [
    ['', []],
    ['one', ['one']],
    ['one\n§\ntwo\n', ['one', 'two']],
    ['\ufeffone\r\n§\r\ntwo\r\nlines\r\n', ['one', 'two\nlines']],
    ['§\n§\n\n§\none\n  §\t\n§', ['one']],
    ['one § two\n§§\n§ three', ['one § two\n§§\n§ three']],
  ];
  for (const [content, entries] of cases) {
    it(`parses ${JSON.stringify(entries)} from ${JSON.stringify(content)}`, () =>
      expect(texts(content)).toEqual(entries));
  }

  verifies('SURF-11', 'is preserved byte for byte by parsing and formatting', () => {
    fc.assert(
      fc.property(anyFile, (content) => {
        expect(formatMemory(parseMemory(content))).toBe(content);
      }),
    );
  });

  verifies('SURF-11', 'changes only the bytes of the entry concerned', () => {
    fc.assert(
      fc.property(anyFile, anyOperation, (content, operation) => {
        const before = parseMemory(content);
        const changed = changeMemory(before, [operation]);
        if ('refused' in changed || changed.text === before) return;
        const after = parseMemory(formatMemory(changed.text));
        const kept = before.pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
        const now = after.pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
        const lost = kept.length - kept.filter((piece) => now.includes(piece)).length;
        expect(lost).toBeLessThanOrEqual(operation.action === 'add' ? 0 : 1);
        const entries = entriesOf(after).map(({ text }) => text);
        if (operation.action !== 'remove') expect(entries).toContain(operation.content.trim());
        const difference = { add: 1, replace: 0, remove: -1 }[operation.action];
        // If the replacement equals an existing entry, the two entries are merged into one.
        expect([difference, difference - 1]).toContain(now.length - kept.length);
        if (operation.action !== 'replace') expect(now.length - kept.length).toBe(difference);
      }),
      { numRuns: 3_000 },
    );
  });

  it('keeps line ends and the last line unchanged', () => {
    const change = (content: string, ...operations: MemoryOperation[]) => {
      const changed = changeMemory(parseMemory(content), operations);
      return 'refused' in changed ? changed.reason : formatMemory(changed.text);
    };
    const add: MemoryOperation = { action: 'add', content: 'new\nlines' };
    expect(change('', add)).toBe('new\nlines');
    expect(change('one', add)).toBe('one\n§\nnew\nlines');
    expect(change('one\n', add)).toBe('one\n§\nnew\nlines\n');
    expect(change('one\n§', add)).toBe('one\n§\nnew\nlines');
    expect(change('\ufeffone\r\n', add)).toBe('\ufeffone\r\n§\r\nnew\r\nlines\r\n');
    const remove: MemoryOperation = { action: 'remove', oldText: 'two' };
    expect(change('one\n§\ntwo', remove)).toBe('one');
    expect(change('one\n§\ntwo\n§\nthree', remove)).toBe('one\n§\nthree');
    expect(change('two', remove)).toBe('');
    expect(change('one\n§\n\n two \n\n§\nthree', { action: 'replace', oldText: 'two', content: '2' })).toBe(
      'one\n§\n\n 2 \n\n§\nthree',
    );
  });

  it('is measured in code points, including separators', () => {
    expect(measureEntries([])).toBe(0);
    expect(measureEntries(['😀é', 'ab'])).toBe(2 + 3 + 2);
  });
});
