import { seededRandom } from './seeded-random.ts';

const WORDS =
  'the agent reads a file, finds what is wrong and says so before anything changes; 数据 は 잘 ok naïve café 😀 done'.split(
    ' ',
  );
const LONG_WORD = 'pneumonoultramicroscopicsilicovolcanoconiosis/'.repeat(4);
const CODE: Record<string, string> = {
  ts: 'export function add(a: number, b: number): number {\n  // 加法\n  return a + b;\n}\n\nconst text = `sum: ${add(1, 2)}`;',
  python: 'def add(a, b):\n    """Adds."""\n    return a + b  # 😀\n\n\nprint(add(1, 2))',
  sh: 'for f in *.log; do\n\techo "$f" | tr a-z A-Z\ndone',
  json: '{"a": [1, 2.5, null], "b": {"c": "字"}}',
  '': 'plain   text\n  with   blanks and | bars | and **stars**',
};

type Pick = { word(): string; words(count: number): string; below(limit: number): number };

/** Markdown as models write it, generated from a number; the same number produces the same text. */
export function sampleAnswer(seed: number): string {
  const random = seededRandom(seed * 7_919 + 1);
  const below = (limit: number) => Math.floor(random() * limit);
  const word = () => WORDS[below(WORDS.length)] as string;
  const pick: Pick = { word, below, words: (count) => Array.from({ length: count }, word).join(' ') };
  const blocks = Array.from({ length: 1 + below(6) }, () =>
    (KINDS[below(KINDS.length)] as (pick: Pick) => string)(pick),
  );
  // A unique last line, which shows that the answer is complete.
  return [...blocks, `End of answer ${seed}.`].join('\n\n');
}

const KINDS: readonly ((pick: Pick) => string)[] = [
  ({ words, below }) => words(3 + below(60)),
  ({ words, below }) => `${'#'.repeat(1 + below(4))} ${words(2 + below(12))}`,
  ({ words, word }) =>
    `${words(4)} **${words(2)}** and *${word()}*, \`${word()} --flag\`, ~~${word()}~~ [${word()}](https://example.com/${word()}).`,
  ({ words, below }) =>
    Array.from({ length: 1 + below(5) }, (_, index) => `${index + 1}. ${words(2 + below(30))}`).join('\n'),
  ({ words, below }) =>
    `- ${words(5)}\n  - ${words(2 + below(20))}\n    - ${words(3)}\n- [x] ${words(2)}\n- ${words(1)}`,
  ({ words, below }) => `> ${words(3 + below(40))}\n> ${words(4)}`,
  fenced,
  table,
  ({ words }) => `${words(2)} ${LONG_WORD} ${words(2)}`,
  ({ words }) => `${words(3)}\n\n---\n\n${words(3)}`,
  ({ words, word }) => `<b>${word()}</b> &amp; \\*${word()}\\* a_b_c 2*3*4\n${words(3)}  \n${words(2)}`,
];

function fenced({ below }: Pick): string {
  const names = Object.keys(CODE);
  const name = names[below(names.length)] as string;
  return `\`\`\`${name}\n${CODE[name]}\n\`\`\``;
}

function table({ words, below, word }: Pick): string {
  const columns = 2 + below(4);
  const row = (cell: (column: number) => string) =>
    `| ${Array.from({ length: columns }, (_, column) => cell(column)).join(' | ')} |`;
  const marks = ['---', ':---', '---:', ':---:'];
  const body = Array.from({ length: 1 + below(5) }, () => row((column) => words(1 + ((column * 2) % 5))));
  return [row(word), row(() => marks[below(4)] as string), ...body].join('\n');
}
