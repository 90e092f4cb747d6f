import { type CompressionReason, type CompressionReport, errorMessage } from '../base/index.ts';
import type { Compression, CompressionInput } from '../contracts/index.ts';
import { fixedTokens, learnFromMeasured, routeName, tokenFigure } from './token-figure.ts';
import type { Scene, Turn } from './turn.ts';
import { windowOf } from './window.ts';

export type CompressionRequest = {
  reason: CompressionReason;
  /** How often in a row the provider refused the request all the same, from 1. */
  attempt?: number;
  topic?: string;
  previewOnly?: boolean;
};

/** The tool by which removed messages are read back. */
const READ_BACK_TOOL = 'context_expand';
const MEMORY_TOOL = 'memory';

/**
 * The one way in which a conversation gets smaller: the engine says what stays, the session goes on with that in a
 * child, and everybody is told. Undefined where nothing could be saved. Until the split, which is one step, an interrupt
 * or a kill leaves everything as it was.
 */
export async function compressContext(
  scene: Scene,
  request: CompressionRequest,
): Promise<CompressionReport | undefined> {
  const { session, options, clock, signal, emit } = scene;
  const { reason } = request;
  const startedAt = clock.now();
  const before = { messages: session.history.length, tokens: tokenFigure(scene) };
  emit({ type: 'compression-started', reason, ...before });
  if (isFirst(request)) learnFromMeasured(scene);
  if (isFirst(request)) await flushMemory(scene);
  const compression = await options.context.compress(inputOf(scene, request, before.tokens));
  signal.throwIfAborted();
  const report = compression && savedBy(compression, before.messages, session.id);
  if (report === undefined || compression === undefined) {
    scene.logger.info('nothing could be compressed', { sessionId: session.id, reason, ...before });
    emit({ type: 'compression-skipped', reason });
    return undefined;
  }
  if (request.previewOnly) return report;
  await session.continueWith(compression.messages);
  return tell(scene, request, { ...report, sessionId: session.id }, clock.now() - startedAt);
}

function inputOf(scene: Scene, request: CompressionRequest, tokens: number): CompressionInput {
  const { session, options, state, signal, taskId } = scene;
  const { reason, attempt = 1, topic, previewOnly } = request;
  const route = routeName(scene);
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
    contextLength: windowOf(scene) ?? tokens,
    fixedTokens: fixedTokens(scene),
    messages: session.history,
    tokensOf: (messages) => options.meter.ofMessages(route, messages),
    todos: session.toolState.todos,
    canReadBack: state.definitions.some(({ name }) => name === READ_BACK_TOOL),
  };
}

/** Not again where the provider refused once more, and not for a look at what would be saved. */
function isFirst({ attempt = 1, previewOnly }: CompressionRequest): boolean {
  return attempt === 1 && !previewOnly;
}

/** Lasting facts may be saved before the words that hold them go. Whatever becomes of it, compression goes on. */
async function flushMemory({ options, session, state, taskId, signal, logger }: Scene): Promise<void> {
  const { memoryFlush, attended } = options;
  if (!attended || memoryFlush === undefined) return;
  if (!state.definitions.some(({ name }) => name === MEMORY_TOOL)) return;
  try {
    await memoryFlush.beforeCompression(session.history, { sessionId: session.id, taskId, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    logger.warn('nothing was saved to the memory before compression', { reason: errorMessage(thrown) });
  }
}

/** What came of it, where it came to something: an engine of somebody else may give back more than it got. */
function savedBy(
  { messages, summary, tokensBefore, tokensAfter }: Compression,
  messagesBefore: number,
  sessionId: string,
): CompressionReport | undefined {
  if (tokensAfter >= tokensBefore) return undefined;
  return { sessionId, messagesBefore, messagesAfter: messages.length, tokensBefore, tokensAfter, ...summary };
}

/** One record in the log and one event. */
function tell(
  { options, session, emit, logger }: Scene,
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

/** A conversation with fewer messages has no middle that could go. */
export const MIN_MESSAGES = 4;

/**
 * Asked before every request: whether the conversation should get smaller first. Once per step and route, so that one
 * which cannot get smaller does not keep the turn from going on.
 */
export async function fitWindow(turn: Turn): Promise<void> {
  const { session, options, state } = turn;
  if (options.compressesByItself === false || state.step.fitted || session.history.length < MIN_MESSAGES) return;
  const contextLength = windowOf(turn);
  if (contextLength === undefined) return;
  const { lineageId } = session;
  if (!options.context.shouldCompress({ lineageId, tokens: tokenFigure(turn), contextLength })) return;
  state.step.fitted = true;
  await compressContext(turn, { reason: state.apiCalls === 0 ? 'preflight' : 'results' });
}
