import { type AssistantMessage, attachmentsOf, type Message, totalTokens, type Usage } from '../base/index.ts';
import type { CallRecord } from '../contracts/index.ts';
import type { CompressionTarget } from './turn.ts';

/** The actual usage of a call including its answer, and how many messages it covers. */
export type MeasuredUsage = {
  /** The route that reported the usage. It is valid for this route only, because tokenizers differ. */
  route: string;
  tokens: number;
  messages: number;
  /** It was read from the store, where another program may have inserted messages that the call did not contain. */
  isStored?: boolean;
};

/**
 * The size of the next request: the last actual usage plus an estimate of the messages added since, or an estimate of
 * everything if this model has not reported usage yet.
 */
export function tokenFigure(target: CompressionTarget): number {
  const { session, options } = target;
  const { history } = session;
  const route = routeName(target);
  const measured = usableMeasurement(target);
  if (measured === undefined) return estimateRequest(target);
  return measured.tokens + options.meter.ofMessages(route, history.slice(measured.messages));
}

/** Text has fewer characters per token; only if it seems to have more, its tokens are estimated. */
const MAX_CHARACTERS_PER_TOKEN = 6;
/** An estimate is never this many times too large. */
const IMPLAUSIBLE = 1.5;

/**
 * The measured usage, if this model reported it and it is plausible: a request cannot have had far fewer tokens than its
 * messages. Otherwise another program inserted some of them later, and they were never sent.
 */
function usableMeasurement(target: CompressionTarget): MeasuredUsage | undefined {
  const { session, options } = target;
  const { measured, history } = session;
  const route = routeName(target);
  if (measured?.route !== route) return undefined;
  if (!measured.isStored) return measured;
  const covered = history.slice(0, measured.messages);
  const characters = covered.reduce((sum, message) => sum + charactersOf(message), 0);
  if (characters <= measured.tokens * MAX_CHARACTERS_PER_TOKEN) return measured;
  return options.meter.ofMessages(route, covered) > measured.tokens * IMPLAUSIBLE ? undefined : measured;
}

function charactersOf(message: Message): number {
  const { length } = message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, length);
}

/** The most tokens that a character can have. */
const MAX_TOKENS_PER_CHARACTER = 2;
/** A history of one message has nothing to remove, so it matters only if it fills a good part of the window. */
const SMALL_SHARE = 0.4;

/**
 * Whether a request without tool results is so small that its tokens need not be counted. Counting the tools takes a
 * millisecond, for which the first request would wait.
 */
export function isClearlySmall(target: CompressionTarget, contextLength: number): boolean {
  const { session, state, options } = target;
  const { history } = session;
  const isShort = history.length <= 1 && (options.prefillMessages ?? []).length === 0;
  if (!isShort || history.some((message) => attachmentsOf(message).length > 0)) return false;
  const texts = [session.systemPrompt, options.ephemeralSystemPrompt ?? '', JSON.stringify(state.definitions)];
  const characters = texts.reduce((sum, { length }) => sum + length, 0) + history.reduce(addCharacters, 0);
  return characters * MAX_TOKENS_PER_CHARACTER < contextLength * SMALL_SHARE;
}

const addCharacters = (sum: number, message: Message) => sum + charactersOf(message);

/** Estimated tokens of everything in a request except the history. */
export function fixedTokens(target: CompressionTarget): number {
  const { options, session, state } = target;
  const { meter, ephemeralSystemPrompt: ephemeral = '', prefillMessages = [] } = options;
  const route = routeName(target);
  const fixed = meter.ofFixed(route, session.systemPrompt + ephemeral, state.definitions);
  return fixed + meter.ofMessages(route, prefillMessages);
}

/** Estimated tokens of the next request, ignoring actual usage. */
function estimateRequest(target: CompressionTarget, tail: readonly Message[] = []): number {
  const { meter } = target.options;
  const route = routeName(target);
  return fixedTokens(target) + meter.ofMessages(route, target.session.history) + meter.ofMessages(route, tail);
}

/**
 * Calibrates the meter: compares its estimate of a request with the usage that the provider reported. Some providers
 * report none.
 */
export function calibrateFromCall(target: CompressionTarget, usage: Usage, tail: readonly Message[]): void {
  const counted = totalTokens(usage) - usage.output;
  if (counted > 0) target.options.meter.calibrate(routeName(target), estimateRequest(target, tail), counted);
}

/**
 * Calibrates the meter from the stored usage of a loaded session. Otherwise a process that compresses before its
 * first call would plan with an uncalibrated estimate that does not match the token figure.
 */
export function calibrateFromSession(target: CompressionTarget): void {
  const { session, options } = target;
  const { history } = session;
  const route = routeName(target);
  const measured = usableMeasurement(target);
  if (measured === undefined) return;
  const covered = options.meter.ofMessages(route, history.slice(0, measured.messages));
  options.meter.calibrate(route, fixedTokens(target) + covered, measured.tokens);
}

/**
 * Returns the measured usage after a call whose answer is stored as message number `messages`, without reasoning tokens that are not sent back.
 */
export function measure(call: CallRecord, answer: Message | undefined, messages: number): MeasuredUsage | undefined {
  const { usage, provider, model } = call;
  const total = totalTokens(usage);
  if (total === usage.output) return undefined;
  const unsent = answer?.role === 'assistant' && !sendsReasoningBack(answer) ? usage.reasoning : 0;
  return { route: `${provider}/${model}`, tokens: total - unsent, messages };
}

function sendsReasoningBack({ reasoningDetails, codexReasoningItems }: AssistantMessage): boolean {
  return (reasoningDetails?.length ?? 0) > 0 || (codexReasoningItems?.length ?? 0) > 0;
}

export function routeName({ routes }: Pick<CompressionTarget, 'routes'>): string {
  const { provider, model } = routes.describe();
  return `${provider}/${model}`;
}
