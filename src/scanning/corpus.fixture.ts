import { readdirSync, readFileSync } from 'node:fs';
import { hashText } from '../util/index.ts';
import { composeTexts, composeTranslations } from './compose-texts.fixture.ts';

/**
 * The writers of the texts in `corpus/`: the first six wrote attacks and harmless texts without seeing those of the
 * others, the seventh and the eighth had seen some of them. The texts of `composed` are composed of parts, those of
 * `translated` of alternatives in other languages.
 */
export const WRITERS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'composed',
  'translated',
] as const;

export type CorpusText = { text: string; isAttack: boolean; family: string | undefined };

/** The texts of a writer: one JSON object per line, `label` 1 for an attack. */
export function readCorpus(writer: (typeof WRITERS)[number]): CorpusText[] {
  if (writer === 'composed') return composeTexts();
  return writer === 'translated' ? composeTranslations() : readTexts(writer);
}

/**
 * Passages of real skills, commands and agent files that resemble attacks without being any. The packages they are
 * from are in docs/dependencies.md.
 */
export function readAgentDocuments(): CorpusText[] {
  return readTexts('agent-documents');
}

/** The texts of the ninth writer, who had seen no others. Nothing was trained or chosen with them. */
export function readUntrainedTexts(): CorpusText[] {
  return readTexts('ninth');
}

function readTexts(name: string): CorpusText[] {
  const lines = readFileSync(new URL(`corpus/${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const { text, label, family } = JSON.parse(line) as { text: string; label: number; family?: string };
    return { text, isAttack: label === 1, family };
  });
}

/** Whether the classifier was not trained with a text, so that tests measure with it. */
export function isHeldOut(text: string): boolean {
  return hashText(text) % 8 === 0;
}

const MAX_DOCUMENT_LENGTH = 40_000;

export type Document = { name: string; text: string; isHeldOut: boolean };

/** The Markdown files of the installed packages. One package in four is held out, like the texts. */
export function readDocuments(): Document[] {
  return readFiles('node_modules', /\.md$/i).map(({ name, text }) => ({
    name,
    text,
    isHeldOut: hashText(packageOf(name)) % 4 === 0,
  }));
}

/** Packages whose declarations say much about models, agents and tools. */
const DECLARATIONS = ['openai', '@anthropic-ai', '@modelcontextprotocol', 'playwright-core'];

/**
 * What else was written about agents without attacking one, and is not held out: the documents and skills of this
 * project, and the comments in its sources and in the declarations of some packages.
 */
export function readTextsAboutAgents(): Document[] {
  const comments = [
    ...DECLARATIONS.flatMap((name) => readFiles(`node_modules/${name}`, /\.d\.ts$/)),
    ...readFiles('src', /(?<!\.test|\.fixture)\.ts$/).filter(({ name }) => !name.startsWith('scanning/')),
  ].map(({ name, text }) => ({ name, text: commentsIn(text) }));
  const all = [...['docs', 'skills'].flatMap((name) => readFiles(name, /\.md$/)), ...comments];
  return all.map((document) => ({ ...document, isHeldOut: false }));
}

function commentsIn(source: string): string {
  const lines = source.split('\n').map((line) => /^\s*(?:\/\*\*|\*|\/\/)(?!\/)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1]);
  return lines.map((line) => line ?? '').join('\n');
}

/** The files in a folder of this project, without copies. */
function readFiles(name: string, ending: RegExp): { name: string; text: string }[] {
  const folder = new URL(`../../${name}/`, import.meta.url);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => ending.test(file));
  const byText = new Map(
    names.toSorted().map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8').slice(0, MAX_DOCUMENT_LENGTH);
      return [text, { name: file, text }] as const;
    }),
  );
  return [...byText.values()];
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
