import {
  type Cost,
  derivedCallId,
  type FinishReason,
  type JsonObject,
  NO_USAGE,
  type ToolCall,
} from '../../base/index.ts';
import type { ModelAnswer, ModelRequest, ModelStreamEvent } from '../../contracts/index.ts';
import { addReasoning, addText, type AnswerText, finishText, NO_ANSWER_TEXT, reasoningOf } from '../split-reasoning.ts';
import { asObject, asString } from '../json-access.ts';

/** Builds a response from the session updates of an agent. */
export type AgentResponse = {
  addUpdate(update: JsonObject): ModelStreamEvent[];
  /** The number of characters received so far. */
  size(): number;
  finish(finishReason: FinishReason): { answer: ModelAnswer; events: ModelStreamEvent[] };
};

/** Agents report neither cost nor tokens; the user pays for a subscription. */
const SUBSCRIPTION: Cost = Object.freeze({ usd: 0, status: 'unknown', source: 'subscription' });

export function createAgentResponse(request: ModelRequest, marker: string): AgentResponse {
  const scanner = createCallScanner(marker);
  let heard: AnswerText = NO_ANSWER_TEXT;
  let text = '';
  let size = 0;

  /** Reasoning in tags is removed before the scan, so calls inside it are ignored. */
  const scan = (heardNow: readonly ModelStreamEvent[], last = false): ModelStreamEvent[] => {
    const events = heardNow.flatMap((event): ModelStreamEvent[] =>
      event.type === 'text-delta' ? scanner.push(event.text) : [event],
    );
    if (last) events.push(...scanner.finish());
    for (const event of events) if (event.type === 'text-delta') text += event.text;
    return events;
  };

  return {
    addUpdate(update) {
      const said = asString(asObject(update.content)?.text) ?? '';
      if (said === '') return [];
      size += said.length;
      let events: ModelStreamEvent[] = [];
      if (update.sessionUpdate === 'agent_message_chunk') [heard, events] = addText(heard, said);
      if (update.sessionUpdate === 'agent_thought_chunk') [heard, events] = addReasoning(heard, said);
      return scan(events);
    },
    size: () => size,
    finish(finishReason) {
      const [whole, rest] = finishText(heard);
      const events = scan(rest, true);
      const toolCalls = withIds(scanner.calls(), request);
      const reason = toolCalls.length > 0 && finishReason === 'stop' ? 'tool_calls' : finishReason;
      const answer: ModelAnswer = { text, toolCalls, finishReason: reason, usage: NO_USAGE, cost: SUBSCRIPTION };
      const reasoning = reasoningOf(whole);
      if (reasoning !== undefined) answer.reasoning = reasoning;
      return { answer, events };
    },
  };
}

/**
 * The calls have no ids, and the same call may occur again later, so ids are derived from the position in the
 * history.
 */
function withIds(calls: readonly ScannedCall[], { messages }: ModelRequest): ToolCall[] {
  const taken = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [])),
  );
  return calls.map(({ name, arguments: args }, index) => {
    const position = messages.length + index;
    let id = derivedCallId({ name, arguments: args, position });
    while (taken.has(id)) id = derivedCallId({ name, arguments: args, position, taken: id });
    taken.add(id);
    return { id, name, arguments: args };
  });
}

/** A call as the agent wrote it, with unmodified arguments. */
export type ScannedCall = { name: string; arguments: string };
type ScanPiece = Extract<ModelStreamEvent, { type: 'text-delta' | 'tool-call-start' }>;

/** Extracts calls from a streamed response. The result does not depend on how the text is split. */
type CallScanner = {
  push(text: string): ScanPiece[];
  /** Returns the text that was held back. An unclosed call still counts as a call. */
  finish(): ScanPiece[];
  calls(): readonly ScannedCall[];
};

const MAX_NAME_LENGTH = 128;
const NAME = /^[\w.:-]+$/;
const FENCE = /^```\w*\s*\n([\s\S]*)\n```$/;

type Scan = {
  readonly opening: string;
  readonly closing: string;
  readonly text: TextJoiner;
  readonly calls: ScannedCall[];
  /** Undecided text: outside a call the start of a line, inside a call a possible closing tag. */
  held: string;
  /** The body of the call so far. It is joined only once, because joining on every chunk would take quadratic time. */
  body: string[];
  /** The name of the current call; undefined outside a call. */
  name: string | undefined;
  /** Whether the current line is already known to be text. */
  lineIsText: boolean;
};

/**
 * Only the exact tag with the section marker at the start of a line opens a call, and only the matching tag at the
 * end of a line closes it. Everything else is text.
 */
export function createCallScanner(marker: string): CallScanner {
  const scan: Scan = {
    opening: `<call-${marker} `,
    closing: `</call-${marker}>`,
    text: createTextJoiner(),
    calls: [],
    held: '',
    body: [],
    name: undefined,
    lineIsText: false,
  };
  return {
    push(added) {
      scan.held += added;
      return read(scan, false);
    },
    finish() {
      const pieces = read(scan, true);
      if (scan.name === undefined) emitText(scan, scan.held, pieces);
      else {
        scan.body.push(scan.held);
        closeCall(scan);
      }
      scan.held = '';
      return pieces;
    },
    calls: () => scan.calls,
  };
}

function read(scan: Scan, atEnd: boolean): ScanPiece[] {
  const pieces: ScanPiece[] = [];
  let hasMore = true;
  while (hasMore && scan.held !== '') {
    hasMore = scan.name === undefined ? readOutside(scan, pieces) : readInside(scan, atEnd);
  }
  return pieces;
}

/** Returns true after a call was opened or a line was completed, if there may be more to read. */
function readOutside(scan: Scan, pieces: ScanPiece[]): boolean {
  const end = scan.held.indexOf('\n') + 1 || scan.held.length;
  const line = scan.held.slice(0, end);
  const isWhole = line.endsWith('\n');
  const found = scan.lineIsText ? undefined : openingIn(line, scan.opening);
  if (found === 'perhaps' && !isWhole) return false;
  if (typeof found === 'object') {
    Object.assign(scan, { name: found.name, held: scan.held.slice(found.length), body: [] });
    scan.text.breakForCall();
    pieces.push({ type: 'tool-call-start', name: found.name });
    return true;
  }
  emitText(scan, line, pieces);
  scan.held = scan.held.slice(end);
  scan.lineIsText = !isWhole;
  return isWhole;
}

/**
 * Returns true if there may be more to read. A closing tag is accepted only when its line or the whole text has
 * ended.
 */
function readInside(scan: Scan, atEnd: boolean): boolean {
  const { held, closing } = scan;
  const at = held.indexOf(closing);
  const following = at < 0 ? undefined : restOfLine(held, at + closing.length);
  if (following !== undefined && !following.endsWith('\n') && !atEnd) return false;
  // A closing tag followed by other text on its line belongs to the body; the last characters may be the start of a
  // tag.
  const settled = at < 0 ? held.length - closing.length + 1 : at + (following === undefined ? closing.length : 0);
  scan.body.push(held.slice(0, Math.max(settled, 0)));
  scan.held = held.slice(Math.max(settled, 0));
  if (following === undefined) return at >= 0;
  scan.held = scan.held.slice(closing.length + following.length);
  closeCall(scan);
  return true;
}

function closeCall(scan: Scan): void {
  const inner = scan.body.join('').trim();
  scan.calls.push({ name: scan.name ?? '', arguments: FENCE.exec(inner)?.[1]?.trim() ?? inner });
  scan.name = undefined;
  scan.lineIsText = false;
}

function emitText(scan: Scan, said: string, pieces: ScanPiece[]): void {
  const shown = scan.text.add(said);
  if (shown !== '') pieces.push({ type: 'text-delta', text: shown });
}

/** The whitespace up to and including the line break; undefined if there is other text on the line. */
function restOfLine(text: string, from: number): string | undefined {
  const blanks = /[^\S\n]*(?:\n|$)/y;
  blanks.lastIndex = from;
  return blanks.exec(text)?.[0];
}

/** The call that a line opens; `perhaps` if the line is still incomplete. */
function openingIn(line: string, opening: string): { name: string; length: number } | 'perhaps' | undefined {
  const tag = line.trimStart();
  // A line with only whitespace may still become a tag.
  if (tag.length < opening.length) return opening.startsWith(tag) ? 'perhaps' : undefined;
  if (!tag.startsWith(opening)) return undefined;
  const end = tag.indexOf('>', opening.length);
  const name = tag.slice(opening.length, end < 0 ? undefined : end);
  if (name.length > MAX_NAME_LENGTH || (name !== '' && !NAME.test(name))) return undefined;
  if (end < 0) return 'perhaps';
  return name === '' ? undefined : { name, length: line.length - tag.length + end + 1 };
}

type TextJoiner = {
  /** Returns the text to emit now; trailing whitespace waits for the text after it. */
  add(said: string): string;
  breakForCall(): void;
};

/** Joins the text around calls: removes whitespace next to a call and keeps the paragraphs separate. */
function createTextJoiner(): TextJoiner {
  let blanks = '';
  let hasText = false;
  let afterCall = false;
  return {
    add(said) {
      const whole = blanks + said;
      const solid = whole.trimEnd();
      if (solid === '') {
        blanks = whole;
        return '';
      }
      blanks = whole.slice(solid.length);
      const shown = hasText && !afterCall ? solid : solid.replace(/^(?:[^\S\n]*\n)+/, '');
      const join = hasText && afterCall ? '\n\n' : '';
      hasText = true;
      afterCall = false;
      return join + shown;
    },
    breakForCall() {
      blanks = '';
      afterCall = true;
    },
  };
}
