import type { CompressionSettings } from '../config/index.ts';
import type { Compression, CompressionInput, TodoItem } from '../contracts/index.ts';
import { joinCut, redactForModel, shorten, splitMiddle, takeStart } from '../util/index.ts';
import { compressConversation, type StandIn, type StandInInput } from './compress.ts';
import { condense } from './map/condense.ts';
import { mapLines, parseLines, renderLine } from './map/map-lines.ts';
import { wordsOf } from './summary/user-words.ts';

/** Of the limit: a summary that another engine left, and what the user said last. */
const SUMMARY_SHARE = 0.5;
const NEWEST_LIMIT = 2_000;
const READ_BACK = 'Before you answer from memory what was said or done there, read it back.';
const FORMER_SUMMARY = 'Summary of the earliest of them:';

/** Puts a map in the place of the middle. No model is asked; the messages stay in the store, and can be read back. */
export function compressWithMap(
  input: CompressionInput,
  settings: CompressionSettings,
): Promise<Compression | undefined> {
  // A result that is only shortened would have no number by which it can be read back.
  return compressConversation(input, settings, { makeStandIn: async (of) => makeMap(of), prunesAlone: false });
}

function makeMap({ input, conversation, plan, limit, tokensOf }: StandInInput): StandIn {
  const former = conversation.former?.body ?? '';
  const summary = cutTo(formerSummary(conversation.former), limit * SUMMARY_SHARE, tokensOf);
  const extras = [...newestLines(conversation, plan), ...todoLines(input.todos)];
  const intro = input.canReadBack ? [READ_BACK] : [];
  const taken = [summary, ...extras, ...intro].reduce((sum, text) => sum + tokensOf(text), 0);
  const isMap = conversation.former?.kind === 'map';
  const lines = [...(isMap ? parseLines(former) : []), ...mapLines(plan.middle)];
  const map = condense(lines, Math.max(limit - taken, 0), tokensOf).map(renderLine);
  const body = [...intro, ...map, ...extras, ...(summary === '' ? [] : [FORMER_SUMMARY, summary])].join('\n');
  return { kind: 'map', body, by: { by: 'map' } };
}

/** A summary stays one, whichever engine goes on: the messages it stands for may be of another program. */
function formerSummary(former: StandInInput['conversation']['former']): string {
  if (former === undefined) return '';
  if (former.kind === 'summary') return former.body;
  const start = former.body.indexOf(`${FORMER_SUMMARY}\n`);
  return start < 0 ? '' : former.body.slice(start + FORMER_SUMMARY.length + 1);
}

function cutTo(text: string, limit: number, tokensOf: (text: string) => number): string {
  const tokens = tokensOf(text);
  return tokens <= limit ? text : takeStart(text, Math.floor((text.length * limit) / tokens));
}

/** What the user said last, where it does not stand in the conversation any more. */
function newestLines({ entries }: StandInInput['conversation'], { head, tail }: StandInInput['plan']): string[] {
  const newest = wordsOf(entries).at(-1);
  const isKept = [...head, ...tail].some(({ number }) => number === newest?.number);
  if (newest === undefined || isKept) return [];
  return [`The user said last (#${newest.number}): ${joinCut(splitMiddle(newest.text, NEWEST_LIMIT))}`];
}

function todoLines(todos: readonly TodoItem[]): string[] {
  const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress').slice(0, 30);
  const texts = open.map(({ id, content }) => `${id}: ${shorten(redactForModel(content), 200)}`);
  return texts.length === 0 ? [] : [`Open to-do items: ${texts.join('; ')}`];
}
