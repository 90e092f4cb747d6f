import type { Message } from '../base/index.ts';
import type { CompressionSettings } from '../config/index.ts';
import type { CompressionInput } from '../contracts/index.ts';
import { cutMiddle } from '../util/index.ts';
import type { Conversation, NumberedMessage } from './conversation.ts';
import { cutLongResults, pruneMessages } from './prune.ts';

/** What will be kept, what will be replaced, and how large what replaces it may be. */
export type Plan = {
  head: readonly NumberedMessage[];
  middle: readonly NumberedMessage[];
  tail: readonly NumberedMessage[];
  /** Tokens of the summary or map, with its frame. */
  limit: number;
  /** Tokens of what is replaced. */
  replaced: number;
  /** The whole request as it will be at most. */
  total: number;
};

/** How much is kept, from what the settings say to the least that makes sense. */
const LEVELS = [
  { tail: 1, last: 1, least: 3, head: true, text: Number.POSITIVE_INFINITY },
  { tail: 0.5, last: 0.4, least: 3, head: true, text: Number.POSITIVE_INFINITY },
  { tail: 0.15, last: 0.15, least: 2, head: true, text: Number.POSITIVE_INFINITY },
  { tail: 0.5, last: 0.4, least: 3, head: false, text: Number.POSITIVE_INFINITY },
  { tail: 0, last: 0, least: 1, head: false, text: Number.POSITIVE_INFINITY },
  // From here on texts are cut as well: one message is larger than the window, or the window is tiny.
  { tail: 0, last: 0, least: 1, head: false, text: 20_000 },
  { tail: 0, last: 0, least: 1, head: false, text: 6_000 },
  { tail: 0, last: 0, least: 1, head: false, text: 1_500 },
  { tail: 0, last: 0, least: 1, head: false, text: 400 },
];
type Level = (typeof LEVELS)[number];

/** How long a result of the tail may be, as long as all does not fit. */
const RESULT_LIMITS = [Number.POSITIVE_INFINITY, 16_000, 8_000, 4_000, 2_000, 1_000, 400];
/** Where a provider refused what should have fitted, newest results are cut at once. */
const FIRST_RESULT_LIMIT = [0, 1, 3] as const;

/** Below the threshold by so much that the next step does not reach it again. */
const SOFT_SHARE = 0.9;
const HARD_SHARE = 0.97;
/** What each further attempt keeps of what there is. */
const PER_ATTEMPT = 0.5;

/** The plan that keeps most and fits; undefined where nothing fits into the window. */
export function makePlan(
  input: CompressionInput,
  conversation: Conversation,
  settings: CompressionSettings,
): Plan | undefined {
  const before = input.fixedTokens + input.tokensOf(input.messages);
  const threshold = input.contextLength * settings.threshold;
  const soft = Math.min(
    threshold * SOFT_SHARE,
    input.attempt > 1 ? before * PER_ATTEMPT ** (input.attempt - 1) : before,
  );
  const hard = input.contextLength * HARD_SHARE;
  let fitting: Plan | undefined;
  for (const level of LEVELS.slice(Math.min(input.attempt - 1, 2))) {
    // A person's own words are cut only where nothing else helps.
    if (fitting !== undefined && level.text !== Number.POSITIVE_INFINITY) break;
    for (const limit of RESULT_LIMITS.slice(FIRST_RESULT_LIMIT[Math.min(input.attempt, 3) - 1])) {
      const plan = planAt(level, limit, { input, conversation, settings });
      if (plan.total <= soft) return plan;
      if (plan.total <= hard) fitting ??= plan;
    }
  }
  return fitting;
}

type Circumstances = { input: CompressionInput; conversation: Conversation; settings: CompressionSettings };

function planAt(level: Level, resultLimit: number, { input, conversation, settings }: Circumstances): Plan {
  const tokensOf = (numbered: readonly NumberedMessage[]) => input.tokensOf(numbered.map(({ message }) => message));
  const tailTokens = input.contextLength * settings.threshold * settings.targetRatio * level.tail;
  const limits = {
    headMessages: level.head ? settings.protectFirstN - 1 : 0,
    tailTokens,
    lastMessages: settings.protectLastN * level.last,
    leastMessages: level.least,
  };
  const parts = findBoundaries(conversation.messages, limits, tokensOf, conversation.formerAt);
  const head = change(parts.head, pruneMessages);
  const tail = change(parts.tail, (messages) => cutTexts(cutLongResults(messages, resultLimit), level.text));
  const former = conversation.former?.body ?? '';
  const replaced = tokensOf(parts.middle) + (former === '' ? 0 : input.tokensOf([{ role: 'user', content: former }]));
  const limit = replaced === 0 ? 0 : replacementLimit(replaced, input.contextLength);
  return {
    head,
    middle: parts.middle,
    tail,
    limit,
    replaced,
    total: input.fixedTokens + tokensOf(head) + tokensOf(tail) + limit,
  };
}

/** A fifth of what is replaced, 2,000 at least, and at most a twentieth of the window or 12,000, which wins. */
export function replacementLimit(replaced: number, contextLength: number): number {
  const most = Math.min(contextLength * 0.05, 12_000);
  return Math.ceil(Math.min(Math.max(replaced * 0.2, 2_000), most));
}

/** Entries with their messages changed, where a change makes another message of them. */
export function change(
  numbered: readonly NumberedMessage[],
  how: (messages: readonly Message[]) => Message[],
): NumberedMessage[] {
  const messages = how(numbered.map(({ message }) => message));
  return numbered.map((source, place) => {
    const message = messages[place] ?? source.message;
    return message === source.message ? source : { ...source, message, changed: true };
  });
}

/** Texts that are longer than any window would take. What the user said stays whole in the store. */
function cutTexts(messages: readonly Message[], limit: number): Message[] {
  if (limit === Number.POSITIVE_INFINITY) return [...messages];
  return pruneMessages(messages).map((message) => {
    if (message.role === 'user') {
      const text = message.sentContent ?? message.content;
      return text.length <= limit ? message : { ...message, sentContent: cutMiddle(text, limit) };
    }
    return message.content.length <= limit ? message : { ...message, content: cutMiddle(message.content, limit) };
  });
}

/** A conversation in three parts. The tail may begin with the newest user message, taken from further up. */
type Boundaries = {
  head: readonly NumberedMessage[];
  middle: readonly NumberedMessage[];
  tail: readonly NumberedMessage[];
};

export type BoundaryLimits = {
  /** So many messages at the beginning are kept, with the results that belong to them. */
  headMessages: number;
  tailTokens: number;
  /** The tail goes on to so many messages where they are small. */
  lastMessages: number;
  /** Never fewer than these are kept at the end, however large they are. */
  leastMessages: number;
};

/** How far beyond its budget the tail may grow for the sake of a number of messages. */
const SOFT_CEILING = 1.5;

/**
 * Head, middle and tail. A call is never parted from its results, and the newest message of the user is always kept.
 * `formerAt` is where a former summary stood: what comes before it is head, and the tail does not reach beyond it.
 */
export function findBoundaries(
  numbered: readonly NumberedMessage[],
  limits: BoundaryLimits,
  tokensOf: (numbered: readonly NumberedMessage[]) => number,
  formerAt = numbered.length,
): Boundaries {
  const groups = groupMessages(numbered);
  const headEnd = endOfHead(groups, Math.min(limits.headMessages, formerAt));
  const firstTail = formerAt < numbered.length ? Math.max(headEnd, formerAt) : headEnd;
  const tailStart = startOfTail(groups, firstTail, limits, tokensOf);
  const newestUser = numbered.findLastIndex(({ message }) => message.role === 'user');
  const isApart = newestUser >= headEnd && newestUser < tailStart;
  const middle = numbered.slice(headEnd, tailStart).filter((_, offset) => !isApart || headEnd + offset !== newestUser);
  const apart = isApart ? [numbered[newestUser] as NumberedMessage] : [];
  return { head: numbered.slice(0, headEnd), middle, tail: [...apart, ...numbered.slice(tailStart)] };
}

type Group = { start: number; end: number; messages: readonly NumberedMessage[] };

/** What must not be parted: an answer and the results of its calls. */
function groupMessages(numbered: readonly NumberedMessage[]): Group[] {
  const starts = numbered.flatMap(({ message }, index) => (message.role !== 'tool' || index === 0 ? [index] : []));
  return starts.map((start, place) => {
    const end = starts[place + 1] ?? numbered.length;
    return { start, end, messages: numbered.slice(start, end) };
  });
}

function endOfHead(groups: readonly Group[], messages: number): number {
  return messages <= 0 ? 0 : (groups.find(({ end }) => end >= messages)?.end ?? groups.at(-1)?.end ?? 0);
}

function startOfTail(
  groups: readonly Group[],
  first: number,
  { tailTokens, lastMessages, leastMessages }: BoundaryLimits,
  tokensOf: (numbered: readonly NumberedMessage[]) => number,
): number {
  let [start, tokens, count] = [groups.at(-1)?.end ?? 0, 0, 0];
  for (const group of groups.toReversed()) {
    if (group.start < first) break;
    const total = tokens + tokensOf(group.messages);
    const isNear = count < lastMessages && total < tailTokens * SOFT_CEILING;
    if (total > tailTokens && !isNear && count >= leastMessages) break;
    [start, tokens, count] = [group.start, total, count + group.messages.length];
  }
  return start;
}
