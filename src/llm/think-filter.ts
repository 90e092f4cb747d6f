/**
 * Takes thinking out of a text stream: what stands between `<think>` and `</think>` (and their like) is reasoning,
 * everything else is text, however the stream is cut. It works character by character, so the cuts cannot matter.
 */
export type ThinkFilterState = {
  inside: boolean;
  /** Characters that may still become a tag. */
  held: string;
  /** The end of the text so far, to see a tag that only comes about when thinking is taken out of its middle. */
  recent: string;
  /** Something other than blanks is in the text. */
  textSeen: boolean;
  /** The start of a tag at the end of the text, left there when a real tag followed. */
  tail: string;
  /** Blanks after leading thinking belong to neither side. */
  skipBlanks: boolean;
};

export type ThinkPiece = { kind: 'text' | 'reasoning'; text: string };

const NAMES = ['think', 'thinking', 'reasoning', 'reasoning_scratchpad'];
const OPENING = new Set(NAMES.map((name) => `<${name}>`));
const CLOSING = new Set(NAMES.map((name) => `</${name}>`));
const TAGS = [...OPENING, ...CLOSING];
const LONGEST_TAG = Math.max(...TAGS.map((tag) => tag.length));

export const THINK_FILTER_START: ThinkFilterState = {
  inside: false,
  held: '',
  recent: '',
  textSeen: false,
  tail: '',
  skipBlanks: false,
};

export function filterThinking(state: ThinkFilterState, delta: string): [ThinkFilterState, ThinkPiece[]] {
  // The usual case, text without any tag in sight, needs no look at each character.
  if (state.held === '' && state.tail === '' && !state.skipBlanks && !delta.includes('<')) {
    return [remember(state, delta), piecesOf(state.inside, delta)];
  }
  let current = state;
  const pieces: ThinkPiece[] = [];
  for (const character of delta) current = takeCharacter(current, character, pieces);
  return [current, pieces];
}

/** What is still held back when the stream is over was no tag. */
export function finishThinking(state: ThinkFilterState): ThinkPiece[] {
  return piecesOf(state.inside, state.held);
}

function takeCharacter(state: ThinkFilterState, character: string, pieces: ThinkPiece[]): ThinkFilterState {
  const candidate = (state.tail + state.held + character).toLowerCase();
  if (OPENING.has(candidate) || CLOSING.has(candidate)) return takeTag(state, OPENING.has(candidate));
  if (TAGS.some((tag) => tag.startsWith(candidate))) return { ...state, held: state.held + character };
  const released = { ...release(state, state.held, pieces), held: '', tail: '' };
  if (character === '<') return { ...released, held: '<' };
  return release(released, character, pieces);
}

function takeTag(state: ThinkFilterState, opens: boolean): ThinkFilterState {
  // A tag made of the two sides of a cut is no real one: its second half is dropped, so that it never forms.
  if (state.tail !== '') return { ...state, held: '' };
  const tail = opens ? '' : tagStart(state.recent);
  return { ...state, inside: opens, held: '', tail, skipBlanks: !opens && !state.textSeen };
}

/** The start of a tag at the very end of a text, or nothing. */
function tagStart(text: string): string {
  const at = text.lastIndexOf('<');
  const start = at < 0 ? '' : text.slice(at);
  return start !== '' && TAGS.some((tag) => tag.startsWith(start.toLowerCase())) ? start : '';
}

function release(state: ThinkFilterState, text: string, pieces: ThinkPiece[]): ThinkFilterState {
  if (text === '' || (state.skipBlanks && text.trim() === '')) return state;
  const last = pieces.at(-1);
  const kind = state.inside ? 'reasoning' : 'text';
  if (last?.kind === kind) last.text += text;
  else pieces.push({ kind, text });
  return { ...remember(state, text), skipBlanks: false };
}

function remember(state: ThinkFilterState, text: string): ThinkFilterState {
  if (state.inside) return state;
  const textSeen = state.textSeen || text.trim() !== '';
  return { ...state, recent: (state.recent + text).slice(-LONGEST_TAG), textSeen };
}

function piecesOf(inside: boolean, text: string): ThinkPiece[] {
  return text === '' ? [] : [{ kind: inside ? 'reasoning' : 'text', text }];
}
