import {
  type CompressionReason,
  type CompressionReport,
  errorMessage,
  type ModelFailure,
  startTimer,
} from '../base/index.ts';
import { type Compression, type CompressionInput, READ_BACK_TOOL } from '../contracts/index.ts';
import { fixedTokens, calibrateFromSession, isClearlySmall, routeName, tokenFigure } from './token-figure.ts';
import type { CompressionTarget, Turn } from './turn.ts';
import { windowOf } from './window.ts';

export type CompressionRequest = {
  reason: CompressionReason;
  /** How many times in a row the provider has rejected the request as too large, from 1. */
  attempt?: number;
  topic?: string;
  previewOnly?: boolean;
};

/** A shorter history has nothing to remove: at most, its texts are truncated. */
export const MIN_MESSAGES = 4;
const MEMORY_TOOL = 'memory';

/**
 * The only function that compresses a session: the context engine decides what to keep, the session is split, and the
 * result is logged and announced. Returns undefined if nothing could be saved. The split is one atomic step; an
 * interrupt or a kill before it changes nothing.
 */
export async function compressContext(
  target: CompressionTarget,
  request: CompressionRequest,
): Promise<CompressionReport | undefined> {
  const { session, options, clock, signal, emit } = target;
  const { reason } = request;
  const elapsed = startTimer(clock);
  const before = { messages: session.history.length, tokens: tokenFigure(target) };
  emit({ type: 'compression-started', reason, ...before });
  if (isFirstAttempt(request)) calibrateFromSession(target);
  const input = createCompressionInput(target, request, before.tokens);
  if (isFirstAttempt(request) && !(await options.context.shouldClear?.(input))) await flushMemory(target);
  const compression = await options.context.compress(input);
  signal.throwIfAborted();
  const report = compression && createReport(compression, before.messages, session.id);
  if (report === undefined || compression === undefined) {
    target.logger.info('nothing could be compressed', { sessionId: session.id, reason, ...before });
    emit({ type: 'compression-skipped', reason });
    return undefined;
  }
  if (request.previewOnly) return report;
  await session.continueWith(compression.messages);
  // Without a replacement, most of the request stays in the provider's cache, which other tools would invalidate.
  if (compression.summary.by !== 'none') await renewOffer(target);
  return announceCompression(target, request, { ...report, sessionId: session.id }, elapsed());
}

/** The provider has to read the request again anyway, so tools that were added or removed are offered from now on. */
async function renewOffer({ options, state, routes, session }: CompressionTarget): Promise<void> {
  options.tools.renewOffer?.();
  state.definitions = await options.tools.definitions(routes.current().contextLength);
  await options.setup?.save(session.id);
}

function createCompressionInput(
  target: CompressionTarget,
  request: CompressionRequest,
  tokens: number,
): CompressionInput {
  const { session, options, state, signal, taskId } = target;
  const { reason, attempt = 1, topic, previewOnly } = request;
  const route = routeName(target);
  const window = windowOf(target) ?? tokens;
  return {
    sessionId: session.id,
    lineageId: session.lineageId,
    taskId,
    reason,
    attempt,
    topic,
    previewOnly,
    signal,
    tokens,
    // A long session of short messages is compressed as if it filled its window; otherwise all of it would be kept.
    contextLength: reason === 'hygiene' ? Math.min(window, tokens) : window,
    fixedTokens: fixedTokens(target),
    messages: session.history,
    inherited: session.inherited,
    tokensOf: (messages) => options.meter.ofMessages(route, messages),
    todos: session.toolState.todos,
    canReadBack: state.definitions.some(({ name }) => name === READ_BACK_TOOL),
  };
}

/** Calibration and memory flush run once per compression, not for repeated attempts and not for a preview. */
function isFirstAttempt({ attempt = 1, previewOnly }: CompressionRequest): boolean {
  return attempt === 1 && !previewOnly;
}

/**
 * Saves lasting facts to memory before the messages that contain them are removed. A failure does not stop the
 * compression.
 */
async function flushMemory({ options, session, state, taskId, signal, logger }: CompressionTarget): Promise<void> {
  const { memoryFlush, attended } = options;
  if (!attended || memoryFlush === undefined || session.history.length < MIN_MESSAGES) return;
  if (!state.definitions.some(({ name }) => name === MEMORY_TOOL)) return;
  try {
    await memoryFlush.beforeCompression(session.history, { sessionId: session.id, taskId, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    logger.warn('memory flush before compression failed', { reason: errorMessage(thrown) });
  }
}

/**
 * The report of a compression, or undefined if it saved nothing: a context engine from a plugin may return more than
 * it received.
 */
function createReport(
  { messages, summary, tokensBefore, tokensAfter }: Compression,
  messagesBefore: number,
  sessionId: string,
): CompressionReport | undefined {
  if (tokensAfter >= tokensBefore) return undefined;
  return { sessionId, messagesBefore, messagesAfter: messages.length, tokensBefore, tokensAfter, ...summary };
}

/** Writes one log record and emits one event. */
function announceCompression(
  { options, session, emit, logger }: CompressionTarget,
  { reason, attempt = 1, topic }: CompressionRequest,
  report: CompressionReport,
  durationMs: number,
): CompressionReport {
  const { lineageId } = session;
  logger.info('compression', {
    ...report,
    lineageId,
    engine: options.context.name,
    reason,
    attempt,
    topic,
    durationMs,
  });
  emit({ type: 'compressed', reason, ...report, durationMs });
  return report;
}

/**
 * Compresses the session before a request if the context engine asks for it. Runs at most once per step and route, so
 * that a session that cannot shrink does not block the turn.
 */
export async function compressIfNeeded(turn: Turn): Promise<void> {
  const { session, options, state } = turn;
  if (options.autoCompress === false || state.step.compressionChecked) return;
  const contextLength = windowOf(turn);
  if (contextLength === undefined || isClearlySmall(turn, contextLength)) return;
  const { lineageId, history } = session;
  const tokens = tokenFigure(turn);
  const request: CompressionRequest = { reason: state.apiCalls === 0 ? 'preflight' : 'results' };
  const isFull = options.context.shouldCompress({ lineageId, contextLength, tokens, messageCount: history.length });
  const canClear = async () => options.context.shouldClear?.(createCompressionInput(turn, request, tokens));
  if (!isFull && !(await canClear())) return;
  state.step.compressionChecked = true;
  await compressContext(turn, request);
}

/** Without compression the estimate decides, so it gets some tolerance: a request that would have fitted must be sent. */
const TOLERANCE = 1.1;

/**
 * Rejects a request that is larger than the context window before it is sent, with the failure that the provider would
 * report. The recoveries then compress the session further, or use a route with a larger window.
 */
export function rejectOversized(turn: Turn): { type: 'failure'; failure: ModelFailure; hint: undefined } | undefined {
  const window = windowOf(turn);
  if (window === undefined || isClearlySmall(turn, window)) return undefined;
  const tokens = tokenFigure(turn);
  const most = turn.options.autoCompress === false ? window * TOLERANCE : window;
  // If the prompt and the tools alone do not fit, the window is probably larger than we know.
  if (tokens <= most || fixedTokens(turn) >= window) return undefined;
  const { model } = turn.routes.describe();
  const message = `The conversation has about ${tokens} tokens, which is more than the context window of ${model} (${window}).`;
  turn.logger.warn('request larger than the context window', { sessionId: turn.session.id, tokens, window });
  const hints = { retryable: false, compress: true, rotateCredential: false, fallBack: true };
  return { type: 'failure', failure: { kind: 'context_overflow', message, ...hints }, hint: undefined };
}
