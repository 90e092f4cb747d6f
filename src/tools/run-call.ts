import { type Clock, errorMessage, errorType, isJsonObject } from '../base/index.ts';
import type { PreparedCall, ToolContext, ToolOutcome } from '../contracts/index.ts';
import type { Tool, ToolAnswer } from './define-tool.ts';
import { fitResult } from './result-budget.ts';
import type { ToolHooks } from './tool-hooks.ts';
import { errorContent, isToolStop } from './tool-stop.ts';

export type ReadyCall = Extract<PreparedCall, { status: 'ready' }>;

/** What every call of a tool set goes through. */
export type CallPath = { hooks: ToolHooks; clock: Clock };

/** How long a tool that was told to stop may take before it is left to itself: longer than a command's own grace. */
const ABANDON_AFTER_MS = 3000;

const NOT_STARTED: ToolOutcome = {
  status: 'interrupted',
  content: errorContent('Not run: the turn was interrupted before it started.'),
};

export function interruptedBeforeStart(): ToolOutcome {
  return NOT_STARTED;
}

/** The one way in which any tool is called: hooks, handler (which asks for approval itself), hooks, budget. */
export async function runCall(
  ready: ReadyCall,
  tool: Tool,
  context: ToolContext,
  path: CallPath,
): Promise<ToolOutcome> {
  if (context.signal.aborted) return NOT_STARTED;
  const { callId, sessionId, taskId } = context;
  const hookCall = { callId, toolName: tool.name, args: ready.args, sessionId, taskId };
  const blocked = await path.hooks.blockedBy(hookCall);
  if (blocked !== undefined) return finish({ status: 'refused', content: errorContent(blocked) }, context);
  if (context.signal.aborted) return NOT_STARTED;
  const outcome = await runHandler(ready, tool, context, path.clock);
  return finish(await path.hooks.afterCall(hookCall, outcome), context);
}

/** The budget comes last: what a hook adds counts as well. */
async function finish(outcome: ToolOutcome, context: ToolContext): Promise<ToolOutcome> {
  const { maxResultCharacters: limit, spillFile, logger } = context;
  return { status: outcome.status, content: await fitResult(outcome.content, { limit, spillFile, logger }) };
}

async function runHandler(ready: ReadyCall, tool: Tool, context: ToolContext, clock: Clock): Promise<ToolOutcome> {
  const settled = new AbortController();
  // A tool that was left to itself has nothing more to say.
  const progress = (text: string) => {
    if (!settled.signal.aborted) context.progress(text);
  };
  try {
    return await Promise.race([
      answered(ready, tool, { ...context, progress }),
      abandoned(context.signal, clock, settled.signal),
    ]);
  } catch (thrown) {
    return thrownOutcome(thrown, context);
  } finally {
    settled.abort();
  }
}

/** Whatever a tool of others gives back, a promise or a value, and however it throws. */
async function answered(ready: ReadyCall, tool: Tool, context: ToolContext): Promise<ToolOutcome> {
  return answerOutcome(await tool.run(ready.args, context));
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
  return {
    status: 'interrupted',
    content: errorContent('Interrupted; the tool did not stop, its outcome is unknown.'),
  };
}
