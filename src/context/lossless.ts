import type { ToolCall } from '../base/index.ts';
import type { CompressionSettings } from '../config/index.ts';
import type { Compression, CompressionInput, TodoItem } from '../contracts/index.ts';
import { truncateMiddle, redactForModel, shorten, takeStart } from '../util/index.ts';
import { compressConversation, type Replacement, type ReplacementInput } from './compress.ts';
import type { NumberedMessage } from './conversation.ts';
import { pathsOf } from './summary/restore-facts.ts';
import { openTodos } from './summary/open-todos.ts';
import { parseSections, renderSections, USER_HEADING } from './summary/sections.ts';
import {
  fitUserStatements,
  type NewestStatement,
  parseUserStatements,
  findUserStatements,
} from './summary/user-statements.ts';

/** Shares of the limit: a summary written by another engine, and the user statements. */
const SUMMARY_SHARE = 0.3;
const WORDS_SHARE = 0.45;
const NEWEST_LIMIT = 2_000;
const READ_BACK = 'Read messages back before you rely on details that are not listed here.';
const USER_WORDS = 'User messages among them:';
const FORMER_SUMMARY = 'Summary of the earliest messages:';
/** The wording of these two headings in earlier versions. */
const OLD_USER_WORDS = 'What the user said in them:';
const OLD_FORMER_SUMMARY = 'Summary of the earliest of them:';

/** Replaces the middle with a removal map. No model is called; the messages stay in the store and can be read back. */
export function compressWithMap(
  input: CompressionInput,
  settings: CompressionSettings,
): Promise<Compression | undefined> {
  // Nothing is cleared before: a map costs no model call, so it can replace old turns immediately.
  return compressConversation(input, settings, { makeReplacement: async (of) => makeMap(of), clearsResults: false });
}

function makeMap({ input, conversation, plan, newestStatement, limit, tokensOf }: ReplacementInput): Replacement {
  const sum = (lines: readonly string[]) => lines.reduce((all, line) => all + tokensOf(line), 0);
  const former = splitReplacement(conversation.previous);
  const summary = cutTo(redactForModel(former.summary), limit * SUMMARY_SHARE, tokensOf);
  const { words, earlier } = parseUserStatements(former.words);
  const said = fitUserStatements(
    [...words, ...findUserStatements(plan.middle)],
    earlier,
    limit * WORDS_SHARE,
    tokensOf,
  );
  const extras = [...newestLines(newestStatement), ...todoLines(input.todos)];
  const intro = input.canReadBack ? [READ_BACK] : [];
  const ending = [
    ...extras,
    ...(said.length === 0 ? [] : [USER_WORDS, ...said]),
    ...(summary === '' ? [] : [FORMER_SUMMARY, summary]),
  ];
  const lines = [...parseMapLines(former.map), ...mapLines(plan.middle)];
  const map = condense(lines, Math.max(limit - sum([...intro, ...ending]), 0), tokensOf).map(renderLine);
  return { kind: 'map', body: [...intro, ...map, ...ending].join('\n'), by: { by: 'map' } };
}

/**
 * Splits the previous replacement into its parts. A summary is kept as text even if the engine has changed, because
 * the messages it replaces may not be in our store.
 */
function splitReplacement(former: ReplacementInput['conversation']['previous']): {
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
  const [rest, summary] = splitAt(former.body, [FORMER_SUMMARY, OLD_FORMER_SUMMARY]);
  const [map, words] = splitAt(rest, [USER_WORDS, OLD_USER_WORDS]);
  return { map, words: words === '' ? [] : words.split('\n'), summary };
}

/** Splits a text at the first of these headings that it contains. */
function splitAt(text: string, headings: readonly string[]): [before: string, after: string] {
  const heading = headings.find((each) => text.includes(`\n${each}\n`));
  const [before = '', after = ''] = heading === undefined ? [text] : text.split(`\n${heading}\n`);
  return [before, after];
}

function cutTo(text: string, limit: number, tokensOf: (text: string) => number): string {
  const tokens = tokensOf(text);
  return tokens <= limit ? text : takeStart(text, Math.floor((text.length * limit) / tokens));
}

/** The newest user statement, if its message is no longer in the conversation. */
function newestLines(newest: NewestStatement | undefined): string[] {
  if (newest === undefined || newest.isKept) return [];
  return [`Most recent user message (#${newest.number}): ${truncateMiddle(newest.text, NEWEST_LIMIT)}`];
}

function todoLines(todos: readonly TodoItem[]): string[] {
  const texts = openTodos(todos).map(({ id, text }) => `${id}: ${text}`);
  return texts.length === 0 ? [] : [`Open to-do items: ${texts.join('; ')}`];
}

/** How many items of each part a joined line keeps, and the maximum length of an item. */
const MAX_ITEMS_PER_PART = { user: 6, ran: 5, files: 10, answer: 2 } as const;
const PIECE_LENGTH = 70;

/** Joins neighbouring lines until all lines together fit into `limit` tokens. No message number is dropped. */
function condense(lines: readonly MapLine[], limit: number, tokensOf: (text: string) => number): MapLine[] {
  const condensed = lines.map((line) => ({ line, tokens: tokensOf(renderLine(line)) }));
  let total = condensed.reduce((sum, { tokens }) => sum + tokens, 0);
  while (total > limit && condensed.length > 1) {
    const index = nextToJoin(condensed.map(({ line }) => line));
    const [first, second] = condensed.slice(index, index + 2) as [Sized, Sized];
    const line = join(first.line, second.line);
    const joined = { line, tokens: tokensOf(renderLine(line)) };
    condensed.splice(index, 2, joined);
    total += joined.tokens - first.tokens - second.tokens;
  }
  const [only] = condensed;
  if (only === undefined || total <= limit) return condensed.map(({ line }) => line);
  // If a single line is still too long, it lists only the message numbers.
  return [{ first: only.line.first, last: only.line.last, user: [], ran: [], files: [], answer: [] }];
}

type Sized = { line: MapLine; tokens: number };

/** The index of the pair to join next. The older a line is, the more messages it may cover. */
function nextToJoin(lines: readonly MapLine[]): number {
  const newest = lines.at(-1)?.last ?? 0;
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let index = 0; index + 1 < lines.length; index += 1) {
    const [first, second] = lines.slice(index, index + 2) as [MapLine, MapLine];
    const share = (second.last - first.first + 1) / (newest - first.first + 1);
    if (share < least) [best, least] = [index, share];
  }
  return best;
}

function join(first: MapLine, second: MapLine): MapLine {
  const part = (name: keyof typeof MAX_ITEMS_PER_PART) => {
    const pieces = [...new Set([...first[name], ...second[name]])];
    return pickEvenly(pieces, MAX_ITEMS_PER_PART[name]).map((piece) => shorten(piece, PIECE_LENGTH));
  };
  return {
    first: Math.min(first.first, second.first),
    last: Math.max(first.last, second.last),
    user: part('user'),
    ran: part('ran'),
    files: part('files'),
    answer: part('answer'),
  };
}

/** Picks `most` items, evenly spread from the first to the last. */
function pickEvenly(pieces: readonly string[], most: number): string[] {
  if (pieces.length <= most) return [...pieces];
  return Array.from(
    { length: most },
    (_, index) => pieces[Math.floor((index * (pieces.length - 1)) / (most - 1))] ?? '',
  );
}

/** One line of a removal map: a range of messages and what identifies them. */
type MapLine = {
  first: number;
  last: number;
  user: readonly string[];
  ran: readonly string[];
  files: readonly string[];
  answer: readonly string[];
};

const PARTS = ['user', 'ran', 'files', 'answer'] as const;
const BETWEEN = ' | ';
const WITHIN = ' / ';
/** A turn with many steps is split into several lines so that reading one of them back stays cheap. */
const MAX_MESSAGES = 24;

/** Groups the removed messages by turn. */
function mapLines(numbered: readonly NumberedMessage[]): MapLine[] {
  const groups: NumberedMessage[][] = [];
  for (const source of numbered) {
    const last = groups.at(-1);
    const isFull = (last?.length ?? 0) >= MAX_MESSAGES && source.message.role !== 'tool';
    // If a kept message lies between two removed ones, the second starts a new group.
    const isNext = last?.at(-1)?.number === source.number - 1;
    if (last === undefined || isFull || !isNext || source.message.role === 'user') groups.push([source]);
    else last.push(source);
  }
  return groups.map(toLine);
}

function toLine(numbered: readonly NumberedMessage[]): MapLine {
  const messages = numbered.map(({ message }) => message);
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const answer = messages.findLast((message) => message.role === 'assistant' && message.content.trim() !== '');
  return {
    first: numbered[0]?.number ?? 0,
    last: numbered.at(-1)?.number ?? 0,
    user: findUserStatements(numbered).map(({ text }) => toPlainLine(text, 80)),
    ran: [...new Set(calls.map(describeCall))].slice(0, 8),
    files: [...new Set(calls.flatMap(pathsOf))].map((path) => toPlainLine(path, 120)).slice(0, 10),
    answer: answer === undefined ? [] : [toPlainLine(answer.content, 160)],
  };
}

/** The first string argument distinguishes one call from another; paths are listed under `files` instead. */
function describeCall(call: ToolCall): string {
  const first = /:\s*"((?:[^"\\]|\\.){1,120})/.exec(call.arguments)?.[1] ?? '';
  return toPlainLine(pathsOf(call).length > 0 ? call.name : `${call.name} ${first}`, 70);
}

/** One line without secrets and without the separators of a map line. */
function toPlainLine(text: string, limit: number): string {
  return shorten(redactForModel(text).replaceAll(BETWEEN, ', ').replaceAll(WITHIN, ', '), limit);
}

function renderLine(line: MapLine): string {
  const parts = PARTS.flatMap((part) => (line[part].length === 0 ? [] : [`${part}: ${line[part].join(WITHIN)}`]));
  return [`- #${line.first}-#${line.last}`, ...parts].join(BETWEEN);
}

/** Parses the lines of an earlier removal map. */
export function parseMapLines(text: string): MapLine[] {
  return text.split('\n').flatMap((line) => {
    const [first = '', ...parts] = line.split(BETWEEN);
    const [, from, to] = /^- #(\d{1,9})-#(\d{1,9})$/.exec(first) ?? [];
    if (from === undefined) return [];
    const part = (name: string) => {
      const found = parts.find((each) => each.startsWith(`${name}: `));
      return found === undefined ? [] : found.slice(name.length + 2).split(WITHIN);
    };
    return [
      {
        first: Number(from),
        last: Number(to),
        user: part('user'),
        ran: part('ran'),
        files: part('files'),
        answer: part('answer'),
      },
    ];
  });
}
