import type { CompressionSettings } from '../config/index.ts';
import type { Compression, CompressionInput, TodoItem } from '../contracts/index.ts';
import { truncateMiddle, redactForModel } from '../util/index.ts';
import { compressConversation, type Replacement, type ReplacementInput } from './compress.ts';
import { openTodos } from './summary/open-todos.ts';
import {
  parseSections,
  renderSections,
  type Sections,
  STATED_HEADING,
  TODO_HEADING,
  trimSections,
  USER_HEADING,
  withoutEmptyLines,
} from './summary/sections.ts';
import { coverText } from './summary/restore-facts.ts';
import { findStatedFacts, fitStatedFacts, parseStatedFacts, type StatedFact } from './summary/stated-facts.ts';
import {
  fitUserStatements,
  type NewestStatement,
  parseUserStatements,
  findUserStatements,
} from './summary/user-statements.ts';
import { type RecordInput, type RecordTools, writeRecord } from './summary/write-record.ts';

/** Limits for one request to the summary model: tokens, and the share of the chat model's own context window. */
const MAX_CHUNK_TOKENS = 48_000;
const PIECE_SHARE = 0.5;
const MIN_CHUNK_TOKENS = 1_500;

/** Replaces the middle with a summary written by the auxiliary model for `compression`. */
export function compressWithSummary(
  input: CompressionInput,
  settings: CompressionSettings,
  tools: RecordTools,
): Promise<Compression | undefined> {
  return compressConversation(input, settings, {
    makeReplacement: (of) => makeSummary(of, tools),
    clearsResults: true,
  });
}

async function makeSummary(
  { input, conversation, plan, newestStatement, limit, tokensOf }: ReplacementInput,
  tools: RecordTools,
): Promise<Replacement> {
  const pieceTokens = Math.min(MAX_CHUNK_TOKENS, Math.max(input.contextLength * PIECE_SHARE, MIN_CHUNK_TOKENS));
  const summary = await summarise(
    {
      middle: plan.middle,
      previous: conversation.previous?.body ?? '',
      todos: input.todos,
      topic: input.topic,
      newestStatement,
      limit,
      chunkTokens: pieceTokens,
      tokensOf,
      previewOnly: input.previewOnly ?? false,
      isRequested: input.reason === 'command',
      sessionId: input.sessionId,
      taskId: input.taskId,
      signal: input.signal,
    },
    tools,
  );
  return { kind: 'summary', ...summary };
}

type SummaryInput = Omit<RecordInput, 'previous'> & {
  /** The body of the previous summary, or an empty string. */
  previous: string;
  newestStatement: NewestStatement | undefined;
  todos: readonly TodoItem[];
};

export type Summary = { body: string; by: Compression['summary'] };

/** Shares of the limit: user statements from the middle, facts that the assistant stated, the newest user statement. */
const WORDS_SHARE = 0.45;
const STATED_SHARE = 0.25;
const NEWEST_SHARE = 0.3;
/** Quote lengths in characters. A message that is still in the session needs only a short quote. */
const QUOTE_LIMITS = { kept: 600, gone: 6_000 };

/**
 * Summarises the middle. User statements, facts that the assistant stated and open to-do items are copied by code, so a
 * model cannot lose them.
 */
export async function summarise(input: SummaryInput, tools: RecordTools): Promise<Summary> {
  const previous = withoutEmptyLines(parseSections(input.previous));
  const recordLimit = Math.max(Math.floor(input.limit * (1 - WORDS_SHARE / 2)), 1);
  const record = await writeRecord({ ...input, previous: recordOf(previous), limit: recordLimit }, tools);
  const { words, earlier } = parseUserStatements(previous.get(USER_HEADING) ?? []);
  const all = [...words, ...findUserStatements(input.middle)];
  const fit = (limit: number) => fitUserStatements(all, earlier, limit, input.tokensOf);
  const stated = [...parseStatedFacts(previous.get(STATED_HEADING) ?? []), ...findStatedFacts(input.middle)];
  return { body: redactForModel(compose(input, record.sections, stated, fit)), by: record.by };
}

/** Removes the sections and lines that are regenerated for every summary. */
function recordOf(sections: Sections): Sections {
  const record = new Map([...sections].map(([heading, lines]) => [heading, withoutQuote(lines)]));
  record.delete(USER_HEADING);
  record.delete(TODO_HEADING);
  record.delete(STATED_HEADING);
  return record;
}

/** User statements get their own share plus everything that the record and the facts leave free. */
function compose(
  input: SummaryInput,
  record: Sections,
  stated: readonly StatedFact[],
  fitIn: (limit: number) => string[],
): string {
  const { limit, tokensOf } = input;
  const sum = (lines: readonly string[]) => lines.reduce((all, line) => all + tokensOf(line), 0);
  const todos = todoLines(input.todos);
  const quote = quoteOf(input);
  const room = Math.max(limit - sum([...quote, ...todos]), 0);
  const factsBesides = (sections: Sections) =>
    fitStatedFacts(stated, coverText(renderSections(sections)), Math.min(limit * STATED_SHARE, room), tokensOf);
  const reserved = limit * WORDS_SHARE + sum(factsBesides(record));
  const trimmed = trimSections(record, Math.max(room - reserved, 0), tokensOf);
  const facts = factsBesides(trimmed);
  const text = renderSections(trimmed);
  const words = fitIn(Math.max(room - tokensOf(text) - sum(facts), 0));
  const active = withoutQuote(trimmed.get('Active task') ?? []);
  return renderSections(
    new Map([
      ...trimmed,
      ['Active task', [...quote, ...active]],
      [TODO_HEADING, todos],
      [STATED_HEADING, facts],
      [USER_HEADING, words],
    ]),
  );
}

const QUOTE = "- In the user's words";

/** Removes the quote with its indented continuation lines, because it is rebuilt for every summary. */
function withoutQuote(lines: readonly string[]): string[] {
  let isQuote = false;
  return lines.filter((line) => {
    isQuote = line.startsWith(QUOTE) || (isQuote && line.startsWith('  '));
    return !isQuote;
  });
}

/** Quotes the newest user statement literally, regardless of what the model wrote about it. */
function quoteOf({ newestStatement, limit, tokensOf }: SummaryInput): string[] {
  if (newestStatement === undefined) return [];
  const { number, text, isKept } = newestStatement;
  const tokens = Math.max(tokensOf(text), 1);
  const share = Math.floor((text.length * limit * NEWEST_SHARE) / tokens);
  const most = isKept ? QUOTE_LIMITS.kept : QUOTE_LIMITS.gone;
  const words = truncateMiddle(text, Math.min(most, Math.max(share, 80)));
  return [`${QUOTE} (#${number}): ${words.replaceAll('\n', '\n  ')}`];
}

function todoLines(todos: readonly TodoItem[]): string[] {
  return openTodos(todos).map(({ id, text, isBegun }) => `- ${id} (${isBegun ? 'in progress' : 'open'}): ${text}`);
}
