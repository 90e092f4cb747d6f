import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeFindings, readSources, type SourceFile } from './source-file.ts';
import { EXCEPTIONS } from './wording-exceptions.ts';
import { NAMES } from './wording-names.ts';
import { PHRASES } from './wording-phrases.ts';
import { checkNames, checkPhrases } from './wording-rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'examples', 'docs'];
const ENDINGS = ['.ts', '.mjs', '.cjs', '.js', '.md'];
const DOCUMENTS = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md'];
/** A longer list would be hard to keep free of false positives. */
const MAX_PHRASES = 60;

const sources = [
  ...readSources(ROOT, FOLDERS, ENDINGS),
  ...DOCUMENTS.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
];

describe('the wording of the project', () => {
  it('avoids the phrases of wording-phrases.ts in comments, strings and documents', () => {
    expect(describeFindings(checkPhrases(sources))).toBe('');
  });

  it('avoids the words of wording-names.ts in declared names', () => {
    expect(describeFindings(checkNames(sources))).toBe('');
  });

  it('has a short list of phrases, and exceptions only for files that exist', () => {
    expect(PHRASES.length).toBeLessThanOrEqual(MAX_PHRASES);
    const unused = EXCEPTIONS.filter(({ path }) => !sources.some((source) => path.test(source.path)));
    expect(unused).toEqual([]);
  });
});

const file = (text: string, path = 'src/llm/x.ts'): SourceFile => ({ path, text });
const phrasesIn = (text: string, path?: string) => checkPhrases([file(text, path)]).map(({ message }) => message);
const namesIn = (text: string) => checkNames([file(text)]).map(({ message }) => message);

describe('the check of phrases', () => {
  it('reports position, phrase, reason and replacement', () => {
    expect(describeFindings(checkPhrases([file('let a;\n// Starts anew.\n')]))).toBe(
      'src/llm/x.ts:2 “anew” is not idiomatic English. Write instead: again, from scratch, or a verb such as rebuild',
    );
  });

  it.each([
    '/** The model is\n * told so. */',
    '// The model is\n// told so.',
    'const a = "The model is told so";',
    'const a = `${b} is told ${c}`;',
    "const a = 'The model is ' +\n  'told so';",
  ])('finds a phrase in %j', (text) => {
    expect(phrasesIn(text).join()).toContain('“is told”');
  });

  it.each([
    'const told = is; told();',
    'const a = /is told/;',
    '// They can be told apart.',
    "const a = 'besides';",
    "const a = 'at-once';",
  ])('ignores %j', (text) => {
    expect(phrasesIn(text)).toEqual([]);
  });

  it('checks all text of a document', () => {
    expect(phrasesIn('# Title\n\nIt is\ntold.', 'docs/x.md')).toHaveLength(1);
  });

  it('allows exceptions only in their files', () => {
    expect(phrasesIn("const a = 'learnt-windows';", 'src/runtime/learned-windows.ts')).toEqual([]);
    expect(phrasesIn("const a = 'anew';", 'src/runtime/learned-windows.ts')).toHaveLength(1);
    expect(phrasesIn("const a = 'learnt';")).toHaveLength(1);
  });

  it.each(PHRASES.map(({ phrase, reason, instead }) => [phrase, reason, instead] as const))(
    'explains %s',
    (_phrase, reason, instead) => {
      expect(reason).toMatch(/^(?:is|does|avoids|leaves|means) /);
      expect(instead).not.toBe('');
    },
  );
});

describe('the check of names', () => {
  it.each([
    ['const MOST_FILES = 1;', 'MOST_FILES'],
    ['type Untold = string;', 'Untold'],
    ['function runBehind() {}', 'runBehind'],
    ['const f = ({ a: [told = 1] }) => told;', 'told'],
    ['function f(...toldFiles: string[]) {}', 'toldFiles'],
    ['interface CallTrouble {}', 'CallTrouble'],
    ['class Desk { }', 'Desk'],
  ])('reports the name in %s', (text, name) => {
    expect(namesIn(text).join()).toContain(`The name ${name} `);
  });

  it.each(['x.told();', "import { lookBeyond } from 'y';", 'const isBehind = 1;', 'const besides = 1;'])(
    'ignores %s',
    (text) => {
      expect(namesIn(text)).toEqual([]);
    },
  );

  it('has no name rule without a replacement', () => {
    expect(NAMES.filter(({ instead }) => instead === '')).toEqual([]);
  });
});
