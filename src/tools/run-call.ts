import { type Clock, errorMessage, errorType, isJsonObject, type JsonObject } from '../base/index.ts';
import type { Concurrency, PreparedCall, ToolContext, ToolOutcome } from '../contracts/index.ts';
import { hasSecretMark } from '../util/index.ts';
import { BatchTimeOver } from './run-batch.ts';
import { createRedactedStream, markOutsideText, redactResult } from './redact-output.ts';
import { fitResult, type Fitted, isOutsideSpill, newSpillFile } from './result-budget.ts';
import type { Tool, ToolAnswer, ToolHandler } from './tool.ts';
import type { ToolHooks } from './tool-hooks.ts';
import { errorContent, isToolStop } from './tool-stop.ts';

export type ReadyCall = Extract<PreparedCall, { status: 'ready' }>;

/** A call that was run: what the model reads, where the whole is if that is not all, and whether it is of others. */
export type CallResult = ToolOutcome & Fitted & { outside?: boolean };

/** What every call of a tool set goes through. */
export type CallPath = { hooks: ToolHooks; clock: Clock; spillFolder: string | undefined };

/** How long a tool that was told to stop may take before it is left to itself: longer than a command's own grace. */
const ABANDON_AFTER_MS = 3000;

const NOT_STARTED = errorContent('Not run: the turn was interrupted before it started.');
const NO_TIME_LEFT = errorContent('Not run: the calls before it took all the time there was. Make it again, alone.');
const MARK_IN_FILE =
  'The text has a mark in it that stands for a secret which you were not shown. Written to the file it would replace the secret. Leave that part out, or change only the lines around it with patch.';

export function notStarted(signal: AbortSignal): ToolOutcome {
  if (isTimeOver(signal)) return { status: 'error', content: NO_TIME_LEFT };
  return { status: 'interrupted', content: NOT_STARTED };
}

/**
 * The one way in which any tool is called: hooks, handler (which asks for approval itself), hooks, then what has to be
 * done to a text before a model reads it.
 */
export async function runCall(ready: ReadyCall, tool: Tool, context: ToolContext, path: CallPath): Promise<CallResult> {
  if (context.signal.aborted) return notStarted(context.signal);
  const { callId, sessionId, taskId, signal } = context;
  const { args, readOnly } = ready;
  const hookCall = { callId, toolName: tool.name, args, sessionId, taskId, readOnly, signal };
  const handler = await tool.load();
  const scope = handler.concurrencyOf(ready.args);
  const blocked = (await path.hooks.blockedBy(hookCall)) ?? spoiledFile(scope, ready.args);
  if (blocked !== undefined) return finish({ status: 'refused', content: errorContent(blocked) }, false, context, path);
  if (context.signal.aborted) return notStarted(context.signal);
  const outcome = await runHandler(ready, handler, context, path.clock);
  const outside = tool.outsideText === true || readsOutside(scope, path.spillFolder);
  const changed = await path.hooks.afterCall(hookCall, outcome);
  const readable = { ...changed, content: await redactResult(changed.content) };
  const marked = outside ? { ...readable, content: markOutsideText(readable.content, tool.name) } : readable;
  return finish(marked, outside, context, path);
}

/** Text that was read without its secrets must not be written over them. */
function spoiledFile(scope: Concurrency, args: JsonObject): string | undefined {
  const writes = scope.mode === 'paths' && scope.access === 'write';
  return writes && hasSecretMark(JSON.stringify(args)) ? MARK_IN_FILE : undefined;
}

function readsOutside(scope: Concurrency, spillFolder: string | undefined): boolean {
  return scope.mode === 'paths' && scope.paths.some((path) => isOutsideSpill(path, spillFolder));
}

/** The budget comes last: what a hook or a mark adds counts as well. */
async function finish(
  { status, content }: ToolOutcome,
  outside: boolean,
  context: ToolContext,
  { spillFolder }: CallPath,
): Promise<CallResult> {
  const { maxResultCharacters: limit, logger, sessionId } = context;
  const spillFile = () => (spillFolder === undefined ? undefined : newSpillFile(spillFolder, sessionId, outside));
  return { status, outside, ...(await fitResult({ content }, { limit, spillFile, logger })) };
}

async function runHandler(
  ready: ReadyCall,
  handler: ToolHandler,
  context: ToolContext,
  clock: Clock,
): Promise<ToolOutcome> {
  const settled = new AbortController();
  const shown = createRedactedStream(context.progress);
  // A tool that was left to itself has nothing more to say.
  const progress = (text: string) => {
    if (!settled.signal.aborted) shown.push(text);
  };
  const fileChanged: ToolContext['fileChanged'] = (change) => {
    if (!settled.signal.aborted) context.fileChanged(change);
  };
  try {
    return await Promise.race([
      answered(ready, handler, { ...context, progress, fileChanged }),
      abandoned(context.signal, clock, settled.signal),
    ]);
  } catch (thrown) {
    return thrownOutcome(thrown, context);
  } finally {
    // A reason of our own: the usual one is an exception with a stack, made for every call.
    settled.abort('settled');
    shown.end();
  }
}

/** Whatever a tool of others gives back, a promise or a value, and however it throws. */
async function answered(ready: ReadyCall, handler: ToolHandler, context: ToolContext): Promise<ToolOutcome> {
  return answerOutcome(await handler.run(ready.args, context));
}

/** Tools of others often report failure as `{ error }` instead of throwing. */
function answerOutcome(answer: ToolAnswer): ToolOutcome {
  if (typeof answer === 'string') return { status: 'ok', content: answer };
  const failed = isJsonObject(answer) && typeof answer['error'] === 'string';
  return { status: failed ? 'error' : 'ok', content: JSON.stringify(answer) };
}

/** A fault of a tool is the model's to read and ours to log, never the turn's end. */
function thrownOutcome(thrown: unknown, { signal, logger, callId }: ToolContext): ToolOutcome {
  if (isToolStop(thrown)) return { status: thrown.status, content: thrown.content };
  if (isTimeOver(signal)) return timeOver('it was stopped');
  if (signal.aborted) return { status: 'interrupted', content: errorContent('Interrupted while it ran.') };
  logger.debug('a tool failed', { callId, error: errorMessage(thrown) });
  const message = `Tool execution failed: ${errorType(thrown)}: ${errorMessage(thrown)}`;
  return { status: 'error', content: errorContent(message) };
}

/** Resolves some time after an abort, so that a tool that does not listen cannot hold up the turn. */
async function abandoned(signal: AbortSignal, clock: Clock, settled: AbortSignal): Promise<ToolOutcome> {
  await new Promise<void>((resolve) => {
    // The tool may have been the one who aborted, before anyone could listen.
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: settled });
  });
  // Rejects when the tool settled in time; the race is over by then.
  await clock.sleep(ABANDON_AFTER_MS, settled).catch(() => undefined);
  if (isTimeOver(signal)) return timeOver('it did not stop, and its outcome is unknown');
  return {
    status: 'interrupted',
    content: errorContent('Interrupted; the tool did not stop, its outcome is unknown.'),
  };
}

function isTimeOver(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof BatchTimeOver;
}

function timeOver(how: string): ToolOutcome {
  return { status: 'error', content: errorContent(`Its time was over (${new BatchTimeOver().message}): ${how}.`) };
}
