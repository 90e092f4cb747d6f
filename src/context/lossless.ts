import type { CompressionSettings } from '../config/index.ts';
import type { Compression, CompressionInput, TodoItem } from '../contracts/index.ts';
import { cutMiddle, redactForModel, takeStart } from '../util/index.ts';
import { compressConversation, type Replacement, type ReplacementInput } from './compress.ts';
import { condense } from './map/condense.ts';
import { mapLines, parseLines, renderLine } from './map/map-lines.ts';
import { openTodos } from './summary/open-todos.ts';
import { parseSections, renderSections, USER_HEADING } from './summary/sections.ts';
import { fitWords, type NewestWords, parseWords, wordsOf } from './summary/user-words.ts';

/** Of the limit: a summary that another engine left, and the user's own words, which hold on unasked. */
const SUMMARY_SHARE = 0.3;
const WORDS_SHARE = 0.45;
const NEWEST_LIMIT = 2_000;
const READ_BACK = 'Before you answer from memory what was said or done there, read it back.';
const USER_WORDS = 'What the user said in them:';
const FORMER_SUMMARY = 'Summary of the earliest of them:';

/** Puts a map in the place of the middle. No model is asked; the messages stay in the store, and can be read back. */
export function compressWithMap(
  input: CompressionInput,
  settings: CompressionSettings,
): Promise<Compression | undefined> {
  // A result that is only shortened would have no number by which it can be read back.
  return compressConversation(input, settings, { makeReplacement: async (of) => makeMap(of), prunesAlone: false });
}

function makeMap({ input, conversation, plan, newestWords, limit, tokensOf }: ReplacementInput): Replacement {
  const sum = (lines: readonly string[]) => lines.reduce((all, line) => all + tokensOf(line), 0);
  const former = partsOf(conversation.former);
  const summary = cutTo(redactForModel(former.summary), limit * SUMMARY_SHARE, tokensOf);
  const { words, earlier } = parseWords(former.words);
  const said = fitWords([...words, ...wordsOf(plan.middle)], earlier, limit * WORDS_SHARE, tokensOf);
  const extras = [...newestLines(newestWords), ...todoLines(input.todos)];
  const intro = input.canReadBack ? [READ_BACK] : [];
  const ending = [
    ...extras,
    ...(said.length === 0 ? [] : [USER_WORDS, ...said]),
    ...(summary === '' ? [] : [FORMER_SUMMARY, summary]),
  ];
  const lines = [...parseLines(former.map), ...mapLines(plan.middle)];
  const map = condense(lines, Math.max(limit - sum([...intro, ...ending]), 0), tokensOf).map(renderLine);
  return { kind: 'map', body: [...intro, ...map, ...ending].join('\n'), by: { by: 'map' } };
}

/**
 * What a former one consists of. A summary stays one, whichever engine goes on: the messages it stands for may be of
 * another program.
 */
function partsOf(former: ReplacementInput['conversation']['former']): {
  map: string;
  words: string[];
  summary: string;
} {
  if (former === undefined) return { map: '', words: [], summary: '' };
  if (former.kind === 'summary') {
    const sections = parseSections(former.body);
    const record = new Map([...sections].filter(([heading]) => heading !== USER_HEADING));
    return { map: '', words: [...(sections.get(USER_HEADING) ?? [])], summary: renderSections(record) };
  }
  const [rest = '', summary = ''] = former.body.split(`\n${FORMER_SUMMARY}\n`);
  const [map = '', words = ''] = rest.split(`\n${USER_WORDS}\n`);
  return { map, words: words === '' ? [] : words.split('\n'), summary };
}

function cutTo(text: string, limit: number, tokensOf: (text: string) => number): string {
  const tokens = tokensOf(text);
  return tokens <= limit ? text : takeStart(text, Math.floor((text.length * limit) / tokens));
}

/** What the user said last, where it does not stand in the conversation any more. */
function newestLines(newest: NewestWords | undefined): string[] {
  if (newest === undefined || newest.isKept) return [];
  return [`The user said last (#${newest.number}): ${cutMiddle(newest.text, NEWEST_LIMIT)}`];
}

function todoLines(todos: readonly TodoItem[]): string[] {
  const texts = openTodos(todos).map(({ id, text }) => `${id}: ${text}`);
  return texts.length === 0 ? [] : [`Open to-do items: ${texts.join('; ')}`];
}
