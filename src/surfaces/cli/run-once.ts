import { type AgentEvent, errorMessage, exitFacts, type RunResult } from '../../base/index.ts';
import type { RunInput } from '../../agent/index.ts';
import {
  beginWithSkills,
  callSkill,
  leaveSession,
  type Runtime,
  type SessionChoice,
  SessionHeld,
  skillWarnings,
} from '../../runtime/index.ts';
import type { ChatStart } from './chat.ts';
import { keepCodeOfLongTurn, keepCompiledCode } from './keep-code.ts';
import { openRuntime } from './open-runtime.ts';
import { chooseView } from './output/choose-view.ts';
import { describeEnding } from './output/describe-ending.ts';
import type { EventView } from './output/event-view.ts';
import { describeError, writeReport } from './report-error.ts';
import { showable } from './style.ts';
import { usageOf, writeUsageFile } from './usage-file.ts';

/** One prompt, one answer, one exit code. Nobody is asked anything. */
export async function runOnce(start: ChatStart, prompt: string): Promise<number> {
  const runtime = await openRuntime(start, false);
  let isAnswered = false;
  try {
    const known = [...start.settings.warnings, ...start.warnings, ...runtime.warnings()];
    for (const warning of known) warn(start, runtime, warning);
    const view = chooseView(start);
    const result = await answer(runtime, start, prompt, view);
    isAnswered = result.exitReason === 'completed';
    // Not before it, because the first request would wait for the look at the project.
    await runtime.trajectories.settled();
    const later = runtime.warnings().filter((warning) => !known.includes(warning));
    for (const warning of [
      ...later,
      ...runtime.checkpoints.news(),
      ...runtime.trajectories.news(),
      ...skillWarnings(runtime.skills()),
    ])
      warn(start, runtime, warning);
    await leave(runtime, result.sessionId);
    return await conclude(start, runtime, view, result);
  } finally {
    await runtime.close();
    if (isAnswered) keepCompiledCode();
  }
}

async function answer(runtime: Runtime, start: ChatStart, prompt: string, view: EventView): Promise<RunResult> {
  const { options, schema } = start;
  const message = { userMessage: prompt, sentMessage: await sentFor(prompt, runtime, options) };
  const first = { resume: options.resume, continueLatest: options.continueLatest, attachments: start.attachments };
  if (schema === undefined) return runTurn(runtime, start, { ...first, ...message }, view);
  const { runWithSchema } = await import('../../runtime/answer-schema/index.ts');
  return runWithSchema({
    ...{ schema, message },
    // The second turn goes on where the first one ended.
    runTurn: ({ resume, ...turn }) =>
      runTurn(runtime, start, { ...(resume === undefined ? first : { resume }), ...turn }, view),
    onInvalid: (problems) => sayInvalid(start, problems),
  });
}

/** What the model is sent in the place of a prompt that calls a skill, or that comes with some. */
async function sentFor(
  prompt: string,
  runtime: Runtime,
  { skills }: ChatStart['options'],
): Promise<string | undefined> {
  const called = await callSkill(runtime.skills(), prompt);
  return skills === undefined ? called : beginWithSkills(runtime.skills(), skills, called ?? prompt);
}

function sayInvalid({ io, lines, options }: ChatStart, problems: readonly string[]): void {
  const invalid = { type: 'answer-invalid', problems };
  lines?.write(invalid);
  if (lines === undefined && !options.quiet)
    io.stderr.write(`hermes: The answer does not validate (${showable(problems.join('; '))}); asking once more.\n`);
}

type TurnRequest = SessionChoice & Omit<RunInput, 'signal' | 'storedChanged' | 'taskId'>;

async function runTurn(
  runtime: Runtime,
  start: ChatStart,
  { resume, continueLatest, ...message }: TurnRequest,
  view: EventView,
): Promise<RunResult> {
  let { agent } = await runtime.openAgent({ session: { resume, continueLatest } });
  const isNew = resume === undefined && !continueLatest;
  const stop = new AbortController();
  // To the very end of the process: also what comes after the turn is not to be cut off by a first signal.
  start.signals.takeOver((name) => stop.abort(new Error(`ended by ${name}`)));
  const take = () =>
    runtime.turns.run(agent.sessionId, runtime.blueprint.surface, async (turn) => {
      // Between the look for the session and the turn, another process may have compressed it.
      const newest = isNew ? undefined : await runtime.store.newestInLineage(agent.sessionId);
      if (newest !== undefined && newest.id !== agent.sessionId) return { movedTo: newest.id };
      const signal = AbortSignal.any([stop.signal, turn.signal]);
      const run = agent.run({ ...turn, ...message, signal });
      for await (const event of run) {
        showSafely(view, event, runtime);
        keepCodeOfLongTurn(event);
      }
      return run.result;
    });
  for (;;) {
    try {
      const result = await take();
      if (!('movedTo' in result)) return result;
      ({ agent } = await runtime.openAgent({ session: { resume: result.movedTo } }));
    } catch (thrown) {
      if (!(thrown instanceof SessionHeld)) throw thrown;
      const { settleBusySession } = await import('./busy-session.ts');
      const resumed = await settleBusySession(thrown, { start, runtime, signal: stop.signal });
      // Opened anew: whoever held the session has gone on with it.
      ({ agent } = await runtime.openAgent({ session: { resume: resumed } }));
    }
  }
}

/** One that nobody has closed would never be pruned. The answer is there, so this is no reason to fail. */
async function leave({ store, logger }: Runtime, sessionId: string): Promise<void> {
  try {
    await leaveSession(store, sessionId, 'one_shot');
  } catch (thrown) {
    logger.warn('the session could not be closed', { sessionId, reason: errorMessage(thrown) });
  }
}

/** Drawing must not end a turn that is still doing its work. */
function showSafely(view: EventView, event: AgentEvent, runtime: Runtime): void {
  try {
    view.show(event);
  } catch (thrown) {
    runtime.logger.error('an event could not be shown', { event: event.type }, thrown);
  }
}

async function conclude(start: ChatStart, runtime: Runtime, view: EventView, result: RunResult): Promise<number> {
  const { options, io } = start;
  let { exitCode } = exitFacts(result.exitReason);
  if (options.usageFile !== undefined) {
    try {
      await writeUsageFile(options.usageFile, io.workingDirectory, usageOf(result));
    } catch (thrown) {
      writeReport(io, describeError(thrown, runtime.logFile));
      exitCode ||= 1;
    }
  }
  if (!result.completed) reportEnd(start, runtime, result);
  else if (options.output === 'text' && !options.quiet) {
    io.stderr.write(`Session ${result.sessionId} (hermes --resume ${result.sessionId})\n`);
  }
  // Last, so that nothing follows the result record of the JSON lines.
  view.finish(result, exitCode);
  return exitCode;
}

function reportEnd({ io, options }: ChatStart, runtime: Runtime, result: RunResult): void {
  const report = describeEnding(result, runtime.logFile);
  if (report === undefined || (options.quiet && !result.failed)) return;
  const hint = report.hint ?? `Go on with: hermes --resume ${result.sessionId} -q "…"`;
  writeReport(io, { message: report.message, hint });
}

function warn({ io, options }: ChatStart, runtime: Runtime, warning: string): void {
  runtime.logger.warn(warning);
  if (!options.quiet) io.stderr.write(`hermes: ${showable(warning)}\n`);
}
