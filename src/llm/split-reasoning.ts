import type { ModelStreamEvent } from '../contracts/index.ts';

/**
 * Separates reasoning from a text stream: the text between `<think>` and `</think>` (and similar tags) is reasoning,
 * everything else is text. It works character by character, so the result does not depend on how the stream is split.
 *
 * Models that reason in tags put them at the start of a line. A tag after other text on its line is part of the text,
 * because the model is writing about it.
 */
type ThinkFilterState = {
  inside: boolean;
  /** Characters that may be the start of a tag. */
  held: string;
  /** Whether the text contains anything but whitespace. */
  textSeen: boolean;
  /** Whether the current line of the text contains only whitespace. */
  lineIsBlank: boolean;
  /** The number of opening tags that were kept as text; the same number of closing tags is kept too. */
  quoted: number;
  /**
   * A block that opened after some text, including its opening tag. Until the closing tag arrives, it may still be
   * text.
   */
  late: string | undefined;
  /** Whether to drop whitespace between leading reasoning and the text. */
  skipBlanks: boolean;
};

export type ThinkSegment = { kind: 'text' | 'reasoning'; text: string };

const NAMES = ['think', 'thinking', 'reasoning', 'reasoning_scratchpad'];
const OPENING = new Set(NAMES.map((name) => `<${name}>`));
const CLOSING = new Set(NAMES.map((name) => `</${name}>`));
const TAGS = [...OPENING, ...CLOSING];
const OPENING_TAG = new RegExp([...OPENING].join('|'), 'gi');
const ANY_TAG = new RegExp(TAGS.join('|'), 'i');

export const THINK_FILTER_START: ThinkFilterState = {
  inside: false,
  held: '',
  textSeen: false,
  lineIsBlank: true,
  quoted: 0,
  late: undefined,
  skipBlanks: false,
};

export function filterThinking(state: ThinkFilterState, delta: string): [ThinkFilterState, ThinkSegment[]] {
  const pieces: ThinkSegment[] = [];
  // Fast path for text without tags.
  if (state.held === '' && !state.skipBlanks && !delta.includes('<')) return [release(state, delta, pieces), pieces];
  let current = state;
  for (const character of delta) current = pushCharacter(current, character, pieces);
  return [current, pieces];
}

/** Ends the stream: held-back characters are then not a tag, and an unclosed late block is text. */
export function finishThinking(state: ThinkFilterState): ThinkSegment[] {
  const text = (state.late ?? '') + state.held;
  const kind = state.inside && state.late === undefined ? 'reasoning' : 'text';
  return text === '' ? [] : [{ kind, text }];
}

function pushCharacter(state: ThinkFilterState, character: string, pieces: ThinkSegment[]): ThinkFilterState {
  const held = state.held + character;
  const candidate = held.toLowerCase();
  if (OPENING.has(candidate)) return handleOpeningTag({ ...state, held: '' }, held, pieces);
  if (CLOSING.has(candidate)) return handleClosingTag({ ...state, held: '' }, held, pieces);
  if (TAGS.some((tag) => tag.startsWith(candidate))) return { ...state, held };
  const released = { ...release(state, state.held, pieces), held: '' };
  if (character === '<') return { ...released, held: '<' };
  return release(released, character, pieces);
}

function handleOpeningTag(state: ThinkFilterState, tag: string, pieces: ThinkSegment[]): ThinkFilterState {
  if (state.inside) return state.late === undefined ? state : { ...state, late: state.late + tag };
  if (!state.textSeen) return { ...state, inside: true };
  if (state.lineIsBlank) return { ...state, inside: true, late: tag };
  return { ...release(state, tag, pieces), quoted: state.quoted + 1 };
}

function handleClosingTag(state: ThinkFilterState, tag: string, pieces: ThinkSegment[]): ThinkFilterState {
  if (!state.inside && state.quoted > 0) return { ...release(state, tag, pieces), quoted: state.quoted - 1 };
  if (state.late !== undefined) addPiece(pieces, 'reasoning', state.late.replaceAll(OPENING_TAG, ''));
  return { ...state, inside: false, late: undefined, skipBlanks: !state.textSeen };
}

function release(state: ThinkFilterState, text: string, pieces: ThinkSegment[]): ThinkFilterState {
  if (text === '' || (state.skipBlanks && text.trim() === '')) return state;
  if (state.late !== undefined) return { ...state, late: state.late + text };
  addPiece(pieces, state.inside ? 'reasoning' : 'text', text);
  return { ...(state.inside ? state : remember(state, text)), skipBlanks: false };
}

function remember(state: ThinkFilterState, text: string): ThinkFilterState {
  const lastBreak = text.lastIndexOf('\n');
  const lineIsBlank = (lastBreak >= 0 || state.lineIsBlank) && text.slice(lastBreak + 1).trim() === '';
  return { ...state, lineIsBlank, textSeen: state.textSeen || text.trim() !== '' };
}

function addPiece(pieces: ThinkSegment[], kind: ThinkSegment['kind'], text: string): void {
  if (text === '') return;
  const last = pieces.at(-1);
  if (last?.kind === kind) last.text += text;
  else pieces.push({ kind, text });
}

/** Splits a complete text into text and reasoning. */
export function splitThinking(text: string): { text: string; thinking: string } {
  if (!ANY_TAG.test(text)) return { text, thinking: '' };
  const [state, pieces] = filterThinking(THINK_FILTER_START, text);
  const all = [...pieces, ...finishThinking(state)];
  const join = (kind: ThinkSegment['kind']) =>
    all.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join(kind === 'text' ? '' : '\n');
  return { text: join('text'), thinking: join('reasoning') };
}

/** Text and reasoning of a response while it is streamed. Structured reasoning has priority over reasoning in tags. */
export type AnswerText = {
  filter: ThinkFilterState;
  text: string;
  /** Reasoning from a separate field. */
  structured: string;
  /** Reasoning from tags inside the text. */
  tagged: string;
};

export const NO_ANSWER_TEXT: AnswerText = { filter: THINK_FILTER_START, text: '', structured: '', tagged: '' };

/** The number of characters received so far, as text or as reasoning. */
export function answerTextSize({ filter, text, structured, tagged }: AnswerText): number {
  return filter.held.length + text.length + structured.length + tagged.length;
}

/** Adds text of the model and separates reasoning in tags. */
export function addText(answer: AnswerText, delta: string): [AnswerText, ModelStreamEvent[]] {
  if (delta === '') return [answer, []];
  const [filter, pieces] = filterThinking(answer.filter, delta);
  return addPieces({ ...answer, filter }, pieces);
}

/** Adds reasoning that the provider sends separately. */
export function addReasoning(answer: AnswerText, delta: string): [AnswerText, ModelStreamEvent[]] {
  if (delta === '') return [answer, []];
  return [{ ...answer, structured: answer.structured + delta }, [{ type: 'reasoning-delta', text: delta }]];
}

/** Emits the text that the filter still holds back. */
export function finishText(answer: AnswerText): [AnswerText, ModelStreamEvent[]] {
  return addPieces({ ...answer, filter: THINK_FILTER_START }, finishThinking(answer.filter));
}

/** The reasoning to use; undefined if there is none. */
export function reasoningOf(answer: AnswerText): string | undefined {
  return answer.structured || answer.tagged || undefined;
}

function addPieces(answer: AnswerText, pieces: readonly ThinkSegment[]): [AnswerText, ModelStreamEvent[]] {
  let current = answer;
  const events: ModelStreamEvent[] = [];
  for (const { kind, text } of pieces) {
    if (kind === 'text') {
      current = { ...current, text: current.text + text };
      events.push({ type: 'text-delta', text });
    } else {
      current = { ...current, tagged: current.tagged + text };
      // Emitting tagged reasoning in addition to structured reasoning would show the same reasoning twice.
      if (current.structured === '') events.push({ type: 'reasoning-delta', text });
    }
  }
  return [current, events];
}
