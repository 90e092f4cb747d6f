import {
  type Cost,
  derivedCallId,
  type FinishReason,
  type JsonObject,
  NO_USAGE,
  type ToolCall,
} from '../../base/index.ts';
import type { ModelAnswer, ModelRequest, ModelStreamEvent } from '../../contracts/index.ts';
import { addReasoning, addText, type AnswerText, finishText, NO_ANSWER_TEXT, reasoningOf } from '../answer-text.ts';
import { asObject, asString } from '../json-access.ts';

/** An answer as it grows out of the updates of an agent. */
export type AgentAnswer = {
  take(update: JsonObject): ModelStreamEvent[];
  /** How much has been taken, in characters. */
  size(): number;
  finish(finishReason: FinishReason): { answer: ModelAnswer; events: ModelStreamEvent[] };
};

/** The agent says neither what a call cost nor how many tokens it took: someone pays by the month. */
const SUBSCRIPTION: Cost = Object.freeze({ usd: 0, status: 'unknown', source: 'subscription' });

export function createAgentAnswer(request: ModelRequest, mark: string): AgentAnswer {
  const scanner = createCallScanner(mark);
  let heard: AnswerText = NO_ANSWER_TEXT;
  let text = '';
  let size = 0;

  /** Thinking in tags was taken out before: a call that the model only thinks about is none. */
  const scan = (heardNow: readonly ModelStreamEvent[], last = false): ModelStreamEvent[] => {
    const events = heardNow.flatMap((event): ModelStreamEvent[] =>
      event.type === 'text-delta' ? scanner.push(event.text) : [event],
    );
    if (last) events.push(...scanner.finish());
    for (const event of events) if (event.type === 'text-delta') text += event.text;
    return events;
  };

  return {
    take(update) {
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

/** The calls have no ids of their own, and the same call may come again later: the place in the history tells them apart. */
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

/** A call as the agent wrote it, arguments untouched. */
export type ScannedCall = { name: string; arguments: string };
type ScanPiece = Extract<ModelStreamEvent, { type: 'text-delta' | 'tool-call-start' }>;

/** Takes the calls out of an answer while it is written. However the text is cut, the outcome is the same. */
type CallScanner = {
  push(text: string): ScanPiece[];
  /** Lets go of what was held back. A call that nothing closed is one whose end is missing. */
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
  /** What is not decided yet: the beginning of a line outside of a call, what may be its closing tag inside of one. */
  held: string;
  /** The body of the call so far, in pieces: put together with each of them, a long one would take for ever. */
  body: string[];
  /** The name of the call that is being read. */
  name: string | undefined;
  /** The line that is being read was found to be text. */
  lineIsText: boolean;
};

/**
 * Only the exact tag with the conversation's mark, at the beginning of a line, opens a call; only its counterpart at the
 * end of a line closes it. Everything else is text, whatever it looks like.
 */
export function createCallScanner(mark: string): CallScanner {
  const scan: Scan = {
    opening: `<call-${mark} `,
    closing: `</call-${mark}>`,
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
      if (scan.name === undefined) say(scan, scan.held, pieces);
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
  let goesOn = true;
  while (goesOn && scan.held !== '') {
    goesOn = scan.name === undefined ? readOutside(scan, pieces) : readInside(scan, atEnd);
  }
  return pieces;
}

/** True where a call began or a line is over, and there may be more to look at. */
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
  say(scan, line, pieces);
  scan.held = scan.held.slice(end);
  scan.lineIsText = !isWhole;
  return isWhole;
}

/** True where there may be more to look at. A closing tag counts once its line is over, as it is at the end of everything. */
function readInside(scan: Scan, atEnd: boolean): boolean {
  const { held, closing } = scan;
  const at = held.indexOf(closing);
  const behind = at < 0 ? undefined : restOfLine(held, at + closing.length);
  if (behind !== undefined && !behind.endsWith('\n') && !atEnd) return false;
  // A closing tag with more behind it on its line belongs to the body, and the last characters may be half of one.
  const settled = at < 0 ? held.length - closing.length + 1 : at + (behind === undefined ? closing.length : 0);
  scan.body.push(held.slice(0, Math.max(settled, 0)));
  scan.held = held.slice(Math.max(settled, 0));
  if (behind === undefined) return at >= 0;
  scan.held = scan.held.slice(closing.length + behind.length);
  closeCall(scan);
  return true;
}

function closeCall(scan: Scan): void {
  const inner = scan.body.join('').trim();
  scan.calls.push({ name: scan.name ?? '', arguments: FENCE.exec(inner)?.[1]?.trim() ?? inner });
  scan.name = undefined;
  scan.lineIsText = false;
}

function say(scan: Scan, said: string, pieces: ScanPiece[]): void {
  const shown = scan.text.add(said);
  if (shown !== '') pieces.push({ type: 'text-delta', text: shown });
}

/** The blanks up to the end of a line, its break included; undefined where something else stands there. */
function restOfLine(text: string, from: number): string | undefined {
  const blanks = /[^\S\n]*(?:\n|$)/y;
  blanks.lastIndex = from;
  return blanks.exec(text)?.[0];
}

/** The call that a line opens; `perhaps` where it could still become one. */
function openingIn(line: string, opening: string): { name: string; length: number } | 'perhaps' | undefined {
  const tag = line.trimStart();
  // A line of nothing but blanks may still go on.
  if (tag.length < opening.length) return opening.startsWith(tag) ? 'perhaps' : undefined;
  if (!tag.startsWith(opening)) return undefined;
  const end = tag.indexOf('>', opening.length);
  const name = tag.slice(opening.length, end < 0 ? undefined : end);
  if (name.length > MAX_NAME_LENGTH || (name !== '' && !NAME.test(name))) return undefined;
  if (end < 0) return 'perhaps';
  return name === '' ? undefined : { name, length: line.length - tag.length + end + 1 };
}

type TextJoiner = {
  /** What can be shown now; blanks wait for what follows them. */
  add(said: string): string;
  breakForCall(): void;
};

/** Joins the text around calls: blanks next to a call are removed, and the paragraphs around it stay separate. */
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
