import type { ModelStreamEvent } from '../contracts/index.ts';

/**
 * Takes thinking out of a text stream: what stands between `<think>` and `</think>` (and their like) is reasoning,
 * everything else is text, however the stream is cut. It works character by character, so the cuts cannot matter.
 *
 * A model that thinks in tags begins a line with them. A tag behind other words of its line is one that the model
 * writes about, and stays in the text.
 */
type ThinkFilterState = {
  inside: boolean;
  /** Characters that may still become a tag. */
  held: string;
  /** Something other than blanks is in the text. */
  textSeen: boolean;
  /** The line of the text that is being written has nothing but blanks so far. */
  lineIsBlank: boolean;
  /** Opening tags that stayed in the text: their closing tags stay as well. */
  quoted: number;
  /** A block that opened after text, tag included: until it is closed nobody knows whether it is one. */
  late: string | undefined;
  /** Blanks after leading thinking belong to neither side. */
  skipBlanks: boolean;
};

export type ThinkPiece = { kind: 'text' | 'reasoning'; text: string };

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

export function filterThinking(state: ThinkFilterState, delta: string): [ThinkFilterState, ThinkPiece[]] {
  const pieces: ThinkPiece[] = [];
  // The usual case, text without any tag in sight, needs no look at each character.
  if (state.held === '' && !state.skipBlanks && !delta.includes('<')) return [release(state, delta, pieces), pieces];
  let current = state;
  for (const character of delta) current = takeCharacter(current, character, pieces);
  return [current, pieces];
}

/** What is still held back when the stream is over was no tag, and a late block that nothing closed was no block. */
export function finishThinking(state: ThinkFilterState): ThinkPiece[] {
  const text = (state.late ?? '') + state.held;
  const kind = state.inside && state.late === undefined ? 'reasoning' : 'text';
  return text === '' ? [] : [{ kind, text }];
}

function takeCharacter(state: ThinkFilterState, character: string, pieces: ThinkPiece[]): ThinkFilterState {
  const held = state.held + character;
  const candidate = held.toLowerCase();
  if (OPENING.has(candidate)) return takeOpening({ ...state, held: '' }, held, pieces);
  if (CLOSING.has(candidate)) return takeClosing({ ...state, held: '' }, held, pieces);
  if (TAGS.some((tag) => tag.startsWith(candidate))) return { ...state, held };
  const released = { ...release(state, state.held, pieces), held: '' };
  if (character === '<') return { ...released, held: '<' };
  return release(released, character, pieces);
}

function takeOpening(state: ThinkFilterState, tag: string, pieces: ThinkPiece[]): ThinkFilterState {
  if (state.inside) return state.late === undefined ? state : { ...state, late: state.late + tag };
  if (!state.textSeen) return { ...state, inside: true };
  if (state.lineIsBlank) return { ...state, inside: true, late: tag };
  return { ...release(state, tag, pieces), quoted: state.quoted + 1 };
}

function takeClosing(state: ThinkFilterState, tag: string, pieces: ThinkPiece[]): ThinkFilterState {
  if (!state.inside && state.quoted > 0) return { ...release(state, tag, pieces), quoted: state.quoted - 1 };
  if (state.late !== undefined) addPiece(pieces, 'reasoning', state.late.replaceAll(OPENING_TAG, ''));
  return { ...state, inside: false, late: undefined, skipBlanks: !state.textSeen };
}

function release(state: ThinkFilterState, text: string, pieces: ThinkPiece[]): ThinkFilterState {
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

function addPiece(pieces: ThinkPiece[], kind: ThinkPiece['kind'], text: string): void {
  if (text === '') return;
  const last = pieces.at(-1);
  if (last?.kind === kind) last.text += text;
  else pieces.push({ kind, text });
}

/** A whole text taken apart. */
export function splitThinking(text: string): { text: string; thinking: string } {
  if (!ANY_TAG.test(text)) return { text, thinking: '' };
  const [state, pieces] = filterThinking(THINK_FILTER_START, text);
  const all = [...pieces, ...finishThinking(state)];
  const join = (kind: ThinkPiece['kind']) =>
    all.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join(kind === 'text' ? '' : '\n');
  return { text: join('text'), thinking: join('reasoning') };
}

/** Text and thinking of an answer as they grow. Structured thinking wins over thinking in tags. */
export type AnswerText = {
  filter: ThinkFilterState;
  text: string;
  /** Thinking that came in a field of its own. */
  structured: string;
  /** Thinking that stood in tags inside the text. */
  tagged: string;
};

export const NO_ANSWER_TEXT: AnswerText = { filter: THINK_FILTER_START, text: '', structured: '', tagged: '' };

/** Adds what the model says; thinking in tags is taken out on the way. */
export function addText(answer: AnswerText, delta: string): [AnswerText, ModelStreamEvent[]] {
  if (delta === '') return [answer, []];
  const [filter, pieces] = filterThinking(answer.filter, delta);
  return addPieces({ ...answer, filter }, pieces);
}

/** Adds thinking that the provider itself keeps apart. */
export function addReasoning(answer: AnswerText, delta: string): [AnswerText, ModelStreamEvent[]] {
  if (delta === '') return [answer, []];
  return [{ ...answer, structured: answer.structured + delta }, [{ type: 'reasoning-delta', text: delta }]];
}

/** Lets go of what the filter still held back. */
export function finishText(answer: AnswerText): [AnswerText, ModelStreamEvent[]] {
  return addPieces({ ...answer, filter: THINK_FILTER_START }, finishThinking(answer.filter));
}

/** The thinking that counts, or undefined where there was none. */
export function reasoningOf(answer: AnswerText): string | undefined {
  return answer.structured || answer.tagged || undefined;
}

function addPieces(answer: AnswerText, pieces: readonly ThinkPiece[]): [AnswerText, ModelStreamEvent[]] {
  let current = answer;
  const events: ModelStreamEvent[] = [];
  for (const { kind, text } of pieces) {
    if (kind === 'text') {
      current = { ...current, text: current.text + text };
      events.push({ type: 'text-delta', text });
    } else {
      current = { ...current, tagged: current.tagged + text };
      // Both at once would show the same thoughts twice.
      if (current.structured === '') events.push({ type: 'reasoning-delta', text });
    }
  }
  return [current, events];
}
