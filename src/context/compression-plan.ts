import type { Message } from '../base/index.ts';
import type { CompressionSettings } from '../config/index.ts';
import type { CompressionInput } from '../contracts/index.ts';
import { truncateMiddle } from '../util/index.ts';
import type { Conversation, NumberedMessage } from './conversation.ts';
import { cutLongResults, pruneMessages } from './prune.ts';
import { sparedResults, unseenTail } from './spared-results.ts';
import { compressionThreshold, largestRequest } from './threshold.ts';

/** Which messages are kept, which are replaced, and how large the replacement may be. */
export type CompressionPlan = {
  head: readonly NumberedMessage[];
  middle: readonly NumberedMessage[];
  tail: readonly NumberedMessage[];
  /** Maximum tokens of the replacement, including its header and end marker. */
  limit: number;
  /** Tokens of the replaced messages and of the previous replacement. */
  replaced: number;
  /** Maximum tokens of the whole request after compression. */
  total: number;
};

/** How much is kept at each level, from the configured amount down to the minimum. */
const LEVELS = [
  { tail: 1, last: 1, least: 3, head: true, text: Number.POSITIVE_INFINITY },
  { tail: 0.5, last: 0.4, least: 3, head: true, text: Number.POSITIVE_INFINITY },
  { tail: 0.15, last: 0.15, least: 2, head: true, text: Number.POSITIVE_INFINITY },
  { tail: 0.5, last: 0.4, least: 3, head: false, text: Number.POSITIVE_INFINITY },
  { tail: 0, last: 0, least: 1, head: false, text: Number.POSITIVE_INFINITY },
  // The levels below also truncate message texts, for a message that exceeds the window or a tiny window.
  { tail: 0, last: 0, least: 1, head: false, text: 20_000 },
  { tail: 0, last: 0, least: 1, head: false, text: 6_000 },
  { tail: 0, last: 0, least: 1, head: false, text: 1_500 },
  { tail: 0, last: 0, least: 1, head: false, text: 400 },
];
type Level = (typeof LEVELS)[number];

/** Maximum length of a tool result in the tail, tried in this order until everything fits. */
const RESULT_LIMITS = [Number.POSITIVE_INFINITY, 16_000, 8_000, 4_000, 2_000, 1_000, 400];
/**
 * The index of the first limit to try, by attempt: after a provider rejected a request that should have fitted,
 * results are truncated immediately.
 */
const FIRST_RESULT_LIMIT = [0, 1, 3] as const;

/** At this attempt, the provider has refused the request even without anything else that could be shortened. */
const LAST_ATTEMPT = 3;
/** The target size as a share of the threshold, low enough that the next step does not trigger another compression. */
const SOFT_SHARE = 0.9;
/** The share of the current size that each further attempt keeps. */
const PER_ATTEMPT = 0.5;

/** Returns the plan that keeps the most and fits; undefined if nothing fits into the window. */
export function planCompression(
  input: CompressionInput,
  conversation: Conversation,
  settings: CompressionSettings,
): CompressionPlan | undefined {
  const before = input.fixedTokens + input.tokensOf(input.messages);
  const threshold = compressionThreshold(input.contextLength, settings).tokens;
  const soft = Math.min(
    threshold * SOFT_SHARE,
    input.attempt > 1 ? before * PER_ATTEMPT ** (input.attempt - 1) : before,
  );
  const hard = largestRequest(input.contextLength);
  const parts = { input, conversation, settings, hard };
  const spared = sparedResults(input.messages);
  // A result that the model has not seen is truncated only if nothing else makes the request fit, and omitted only if
  // that is not enough either.
  const complete = input.attempt < LAST_ATTEMPT ? findPlan({ ...parts, soft, spared }) : undefined;
  const truncated = () => findPlan({ ...parts, soft: input.attempt > 1 ? soft : hard, spared, truncatesSpared: true });
  return complete ?? truncated() ?? findPlan({ ...parts, soft, spared: new Set() });
}

type PlanInput = {
  input: CompressionInput;
  conversation: Conversation;
  settings: CompressionSettings;
  /** The indexes of results that must not be replaced by one line. */
  spared: ReadonlySet<number>;
  /** Whether spared results may be truncated. */
  truncatesSpared?: boolean;
};

/** The first plan that has the target size, or otherwise the first that fits into the window. */
function findPlan({ soft, hard, ...parts }: PlanInput & { soft: number; hard: number }): CompressionPlan | undefined {
  const { attempt } = parts.input;
  let fitting: CompressionPlan | undefined;
  for (const level of LEVELS.slice(Math.min(attempt - 1, 2))) {
    // The user's own text is truncated only as a last resort.
    if (fitting !== undefined && level.text !== Number.POSITIVE_INFINITY) break;
    for (const limit of RESULT_LIMITS.slice(FIRST_RESULT_LIMIT[Math.min(attempt, 3) - 1])) {
      const plan = planAt(level, limit, parts);
      if (plan.total <= soft) return plan;
      if (plan.total <= hard) fitting ??= plan;
    }
  }
  return fitting;
}

function planAt(level: Level, resultLimit: number, given: PlanInput): CompressionPlan {
  const { input, conversation, settings, spared, truncatesSpared = false } = given;
  const tokensOf = (numbered: readonly NumberedMessage[]) => input.tokensOf(numbered.map(({ message }) => message));
  const threshold = compressionThreshold(input.contextLength, settings).tokens;
  const tailTokens = threshold * settings.targetRatio * level.tail;
  const limits = {
    headMessages: level.head ? settings.protectFirstN - 1 : 0,
    tailTokens,
    lastMessages: settings.protectLastN * level.last,
    leastMessages: spared.size === 0 ? level.least : Math.max(level.least, unseenTail(input.messages)),
  };
  const parts = findBoundaries(conversation.messages, limits, tokensOf, conversation.previousIndex);
  const numbers = input.canReadBack ? parts.head.map(({ number }) => number) : [];
  const cut = (messages: readonly Message[]) => cutLongResults(messages, resultLimit);
  const shorten = (messages: readonly Message[]) => cutTexts(cut(messages), level.text);
  const finish = (some: readonly NumberedMessage[]) => (truncatesSpared ? mapMessages(some, cut) : some);
  const head = finish(mapMessages(parts.head, (messages) => pruneMessages(messages, numbers), spared));
  const tail = finish(mapMessages(parts.tail, shorten, spared));
  const former = conversation.previous?.body ?? '';
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

/** A fifth of the replaced tokens and at least 2,000, but never more than 5 % of the window or 12,000. */
export function replacementLimit(replaced: number, contextLength: number): number {
  const most = Math.min(contextLength * 0.05, 12_000);
  return Math.ceil(Math.min(Math.max(replaced * 0.2, 2_000), most));
}

/** Applies a function to the messages, except for those with these indexes, and marks those that it changed. */
export function mapMessages(
  numbered: readonly NumberedMessage[],
  how: (messages: readonly Message[]) => Message[],
  spared: ReadonlySet<number> = new Set(),
): NumberedMessage[] {
  const messages = how(numbered.map(({ message }) => message));
  return numbered.map((source, index) => {
    const message = messages[index] ?? source.message;
    return message === source.message || spared.has(source.index) ? source : { ...source, message, changed: true };
  });
}

/** Truncates texts that are too long for the window. The user's own text stays complete in the store. */
function cutTexts(messages: readonly Message[], limit: number): Message[] {
  if (limit === Number.POSITIVE_INFINITY) return [...messages];
  return pruneMessages(messages).map((message) => {
    if (message.role === 'user') {
      const text = message.sentContent ?? message.content;
      return text.length <= limit ? message : { ...message, sentContent: truncateMiddle(text, limit) };
    }
    return message.content.length <= limit ? message : { ...message, content: truncateMiddle(message.content, limit) };
  });
}

/** The three parts of a conversation. The tail may start with the newest user message, moved down from the middle. */
type Boundaries = {
  head: readonly NumberedMessage[];
  middle: readonly NumberedMessage[];
  tail: readonly NumberedMessage[];
};

export type BoundaryLimits = {
  /** How many messages to keep at the start, extended to the results of their calls. */
  headMessages: number;
  tailTokens: number;
  /** How many messages to keep at the end if they are small. */
  lastMessages: number;
  /** The minimum number of messages to keep at the end, however large they are. */
  leastMessages: number;
};

/** How far the tail may exceed its token budget to reach the wanted number of messages. */
const SOFT_CEILING = 1.5;

/**
 * Splits a conversation into head, middle and tail. A call is never separated from its results, and the newest user
 * message is always kept. `previousIndex` is where the previous replacement was: everything before it is head, and the
 * tail starts after it.
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

/** Groups that must not be split: an assistant message and the results of its calls. */
function groupMessages(numbered: readonly NumberedMessage[]): Group[] {
  const starts = numbered.flatMap(({ message }, index) => (message.role !== 'tool' || index === 0 ? [index] : []));
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? numbered.length;
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
