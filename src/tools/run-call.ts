import { type Clock, errorMessage, errorType, isJsonObject, type JsonObject } from '../base/index.ts';
import type { Concurrency, PreparedCall, ToolContext, ToolOutcome } from '../contracts/index.ts';
import { hasSecretMarker, showControls } from '../util/index.ts';
import { BatchTimeout } from './run-batch.ts';
import { createRedactedStream, delimitUntrustedText, redactResult } from './redact-output.ts';
import { fitResult, type FittedResult, isUntrustedSpillFile, newSpillFile } from './result-budget.ts';
import { AnswerWithImages, type Tool, type ToolAnswer, type ToolHandler } from './tool.ts';
import type { ToolHooks } from './tool-hooks.ts';
import { errorContent, isToolStop, OwnText } from './tool-stop.ts';

export type ReadyCall = Extract<PreparedCall, { status: 'ready' }>;

/** The result of a call: the text for the model, the spill file if it was truncated, and whether it is untrusted. */
export type CallResult = ToolOutcome & FittedResult & { untrusted?: boolean };

/** What all calls of a tool set share. */
export type CallPipeline = { hooks: ToolHooks; clock: Clock; spillFolder: string | undefined };

/**
 * How long an aborted tool may take to stop before it is abandoned. A command that ignores SIGTERM needs half of it,
 * and more on a busy machine; its output would be lost.
 */
const ABANDON_AFTER_MS = 5000;

const NOT_STARTED = errorContent('Not run: the turn was interrupted before the call started.');
const BATCH_TIMED_OUT = errorContent(
  'Not run: earlier calls in this message used up the time limit. Repeat this call in a separate message.',
);
const REDACTED_WRITE_ERROR =
  'The text contains a redaction marker for a secret that you were not shown. Writing the marker would overwrite the secret. Omit that part, or change only the lines around the secret with patch.';

export function notStarted(signal: AbortSignal): ToolOutcome {
  if (isBatchTimeout(signal)) return { status: 'error', content: BATCH_TIMED_OUT };
  return { status: 'interrupted', content: NOT_STARTED };
}

/**
 * Runs a tool call. Every call takes this path: hooks, the handler (which asks for approval itself), hooks,
 * redaction, delimiters for untrusted text, and the result limit.
 */
export async function runCall(
  ready: ReadyCall,
  tool: Tool,
  context: ToolContext,
  path: CallPipeline,
): Promise<CallResult> {
  if (context.signal.aborted) return notStarted(context.signal);
  const { callId, sessionId, taskId, signal } = context;
  const { args, readOnly } = ready;
  const hookCall = { callId, toolName: tool.name, args, sessionId, taskId, readOnly, signal };
  const handler = await tool.load();
  const scope = handler.concurrencyOf(ready.args);
  const blocked = (await path.hooks.blockedBy(hookCall)) ?? redactedWriteError(scope, ready.args);
  if (blocked !== undefined) return finish({ status: 'refused', content: errorContent(blocked) }, false, context, path);
  if (context.signal.aborted) return notStarted(context.signal);
  const { isOwnText, ...outcome } = await runHandler(ready, handler, context, path.clock);
  const changed = await path.hooks.afterCall(hookCall, outcome);
  const isOwn = isOwnText && changed.content === outcome.content;
  const outside = !isOwn && (tool.outsideText === true || readsUntrustedText(scope, path.spillFolder));
  const readable = { ...changed, content: await redactResult(showControls(changed.content)) };
  const delimited = () => delimitUntrustedText(readable.content, tool.name, tool.outsideLabel);
  const marked = outside ? { ...readable, content: delimited() } : readable;
  return finish(marked, outside, context, path);
}

/** Rejects writes of text that contains a redaction marker, which would overwrite the secret. */
function redactedWriteError(scope: Concurrency, args: JsonObject): string | undefined {
  const writes = scope.mode === 'paths' && scope.access === 'write';
  return writes && hasSecretMarker(JSON.stringify(args)) ? REDACTED_WRITE_ERROR : undefined;
}

function readsUntrustedText(scope: Concurrency, spillFolder: string | undefined): boolean {
  return scope.mode === 'paths' && scope.paths.some((path) => isUntrustedSpillFile(path, spillFolder));
}

/** The limit is applied last, because hooks and delimiters add text. */
async function finish(
  { status, content, attachments }: ToolOutcome,
  outside: boolean,
  context: ToolContext,
  { spillFolder }: CallPipeline,
): Promise<CallResult> {
  const { maxResultCharacters: limit, logger, sessionId } = context;
  const spillFile = () => (spillFolder === undefined ? undefined : newSpillFile(spillFolder, sessionId, outside));
  const result: CallResult = {
    status,
    untrusted: outside,
    ...(await fitResult({ content }, { limit, spillFile, logger })),
  };
  if (attachments !== undefined) result.attachments = attachments;
  return result;
}

/** `isOwnText`: Hermes wrote the whole text, even if the tool usually returns untrusted text. */
type HandlerOutcome = ToolOutcome & { isOwnText?: boolean };

async function runHandler(
  ready: ReadyCall,
  handler: ToolHandler,
  context: ToolContext,
  clock: Clock,
): Promise<HandlerOutcome> {
  let settled = false;
  const shown = createRedactedStream(context.progress);
  // Output of an abandoned tool is ignored.
  const progress = (text: string) => {
    if (!settled) shown.push(text);
  };
  const fileChanged: ToolContext['fileChanged'] = (change) => {
    if (!settled) context.fileChanged(change);
  };
  const watch = watchForAbort(context.signal, clock);
  try {
    return await Promise.race([
      runAndConvert(ready, handler, { ...context, progress, fileChanged }),
      watch.abandoned.then(() => abandonedOutcome(context.signal)),
    ]);
  } catch (thrown) {
    return thrownOutcome(thrown, context);
  } finally {
    settled = true;
    watch.end();
    shown.end();
  }
}

/** Third-party tools may return a value instead of a promise, or throw synchronously. */
async function runAndConvert(ready: ReadyCall, handler: ToolHandler, context: ToolContext): Promise<HandlerOutcome> {
  return answerOutcome(await handler.run(ready.args, context));
}

/** Third-party tools often report failure as `{ error }` instead of throwing. */
function answerOutcome(answer: ToolAnswer): HandlerOutcome {
  if (answer instanceof OwnText) return { status: 'ok', content: answer.text, isOwnText: true };
  if (typeof answer === 'string') return { status: 'ok', content: answer };
  if (answer instanceof AnswerWithImages) return { status: 'ok', content: answer.text, attachments: answer.images };
  const failed = isJsonObject(answer) && typeof answer['error'] === 'string';
  return { status: failed ? 'error' : 'ok', content: JSON.stringify(answer, showControlsIn) };
}

/** In JSON each control character would take six characters. */
function showControlsIn(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? showControls(value) : value;
}

/** An exception of a tool is reported to the model and logged. It never ends the turn. */
function thrownOutcome(thrown: unknown, { signal, logger, callId }: ToolContext): HandlerOutcome {
  if (isToolStop(thrown)) return { status: thrown.status, content: thrown.content, isOwnText: thrown.isOwnText };
  if (isBatchTimeout(signal)) return timeoutOutcome('the call was stopped');
  if (signal.aborted) return { status: 'interrupted', content: errorContent('Interrupted.'), isOwnText: true };
  logger.debug('tool failed', { callId, error: errorMessage(thrown) });
  const message = `Tool execution failed: ${errorType(thrown)}: ${errorMessage(thrown)}`;
  return { status: 'error', content: errorContent(message) };
}

/**
 * `abandoned` resolves some time after an abort, so that a tool that ignores its signal cannot block the turn. Nearly
 * all calls end without an abort, so nothing else is created before.
 */
function watchForAbort(signal: AbortSignal, clock: Clock): { abandoned: Promise<void>; end(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting: AbortController | undefined;
  const wait = () => {
    waiting = new AbortController();
    // The sleep rejects if the tool settles in time; the race is decided by then.
    clock.sleep(ABANDON_AFTER_MS, waiting.signal).then(resolve, () => undefined);
  };
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  return {
    abandoned: promise,
    end() {
      signal.removeEventListener('abort', wait);
      waiting?.abort();
    },
  };
}

function abandonedOutcome(signal: AbortSignal): HandlerOutcome {
  if (isBatchTimeout(signal)) return timeoutOutcome('the tool did not stop, so its outcome is unknown');
  return {
    status: 'interrupted',
    content: errorContent('Interrupted. The tool did not stop, so its outcome is unknown.'),
    isOwnText: true,
  };
}

function isBatchTimeout(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof BatchTimeout;
}

function timeoutOutcome(how: string): HandlerOutcome {
  const content = errorContent(`Timed out (${new BatchTimeout().message}): ${how}.`);
  return { status: 'error', content, isOwnText: true };
}
