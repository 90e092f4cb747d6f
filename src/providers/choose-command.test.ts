import { describe, expect, it } from 'vitest';
import { splitWords } from './choose-command.ts';

describe('arguments in one line', () => {
  const cases: [line: string, words: string[] | undefined][] = [
    ['--acp --stdio', ['--acp', '--stdio']],
    ['  a \t b\n', ['a', 'b']],
    ['', []],
    [`-c 'cd "x y" && run'`, ['-c', 'cd "x y" && run']],
    ['"a b"c\\ d', ['a bc d']],
    ['"say \\"hi\\" \\n"', ['say "hi" \\n']],
    [`''`, ['']],
    [`it's`, undefined],
    ['"open', undefined],
    ['end\\', undefined],
  ];
  for (const [line, words] of cases) {
    it(`${JSON.stringify(line)} is ${JSON.stringify(words) ?? 'refused'}`, () => {
      expect(splitWords(line)).toEqual(words);
    });
  }
});
