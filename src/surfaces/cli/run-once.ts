import { type AgentEvent, type AttachedFile, errorMessage, exitFacts, type RunResult } from '../../base/index.ts';
import type { RunInput } from '../../agent/index.ts';
import { type Conversation, openConversation, type ConversationMessage } from '../../conversations/index.ts';
import { startWithSkills, callSkill, describeHolder, type Runtime, skillWarnings } from '../../runtime/index.ts';
import type { ChatStart } from './chat.ts';
import { saveCompileCacheInLongTurn, saveCompileCache } from './compile-cache.ts';
import { STOP_TIMEOUT_MS } from './exit-path.ts';
import { openRuntime } from './open-runtime.ts';
import { chooseView } from './output/choose-view.ts';
import type { EventView } from './output/event-view.ts';
import { describeError, writeNotice, writeReport } from './report-error.ts';

/** Answers one prompt and returns the exit code, without asking any questions. */
export async function runOnce(start: ChatStart, prompt: string): Promise<number> {
  const runtime = await openRuntime(start, false);
  let isAnswered = false;
  try {
    const known = [...start.settings.warnings, ...start.warnings, ...runtime.warnings()];
    for (const warning of known) warn(start, runtime, warning);
    const view = await reportServers(chooseView(start), runtime, start);
    const conversation = await openOnce(runtime, start);
    await warnIfMoved(conversation, runtime, start);
    const result = await answer(conversation, runtime, start, { prompt, view });
    isAnswered = result.exitReason === 'completed';
    // Skill warnings come after the turn, because the first request would otherwise wait for the scan of the project.
    await runtime.trajectories.settled();
    const later = runtime.warnings().filter((warning) => !known.includes(warning));
    for (const warning of [
      ...later,
      ...runtime.checkpoints.drainMessages(),
      ...runtime.trajectories.drainMessages(),
      ...skillWarnings(runtime.skills()),
      ...((await start.findNotices?.()) ?? []),
    ])
      warn(start, runtime, warning);
    await leave(conversation, runtime);
    return await conclude(start, runtime, view, result);
  } finally {
    await runtime.close();
    if (isAnswered) saveCompileCache();
  }
}

/** The code that reports MCP servers is loaded only if there are any. */
async function reportServers(view: EventView, { servers }: Runtime, { io, lines, options }: ChatStart) {
  if (servers.states().length === 0) return view;
  const { withServerReports } = await import('./mcp/report-servers.ts');
  return withServerReports(view, servers, (message) => {
    const warning = { type: 'warning', message };
    lines?.write(warning);
    if (!options.quiet) writeNotice(io, message);
  });
}

async function openOnce(runtime: Runtime, start: ChatStart): Promise<Conversation> {
  const { resume, continueLatest } = start.options;
  return openConversation({
    services: runtime,
    blueprint: { ...runtime.blueprint, kind: 'one_shot' },
    session: { resume, continueLatest },
    async onHeld(held, signal) {
      const { settleHeldSession } = await import('./held-session.ts');
      const say = (message: string) => sayBusy(start, message);
      return settleHeldSession(held, { options: start.options, runtime, signal, say });
    },
    onNotice(notice) {
      if (notice.type !== 'branched') return;
      const { held, session } = notice;
      sayBusy(start, `${describeHolder(held.sessionId, held.heldBy)} Continuing in a branch, session ${session.id}.`);
    },
  });
}

/** Warns if a resumed session was used in another working directory before. */
async function warnIfMoved(conversation: Conversation, runtime: Runtime, start: ChatStart): Promise<void> {
  const { resumed } = conversation.opened();
  if (resumed === undefined) return;
  const { describeMove } = await import('../text/session-lines.ts');
  const moved = describeMove(resumed, runtime.blueprint.workingDirectory);
  if (moved !== undefined) warn(start, runtime, moved);
}

function sayBusy({ io, options, lines }: ChatStart, message: string): void {
  const warning = { type: 'warning', message };
  if (lines !== undefined) lines.write(warning);
  else if (!options.quiet) writeNotice(io, message);
}

async function answer(
  conversation: Conversation,
  runtime: Runtime,
  start: ChatStart,
  { prompt, view }: { prompt: string; view: EventView },
): Promise<RunResult> {
  const { options, schema, attachments } = start;
  const stop = new AbortController();
  // Stays registered until the process exits, so that the first signal does not abort the work after the turn.
  start.exits.setHandler(({ reason }) => stop.abort(new Error(reason)), STOP_TIMEOUT_MS);
  const message = { userMessage: prompt, sentMessage: await sentFor(prompt, runtime, options) };
  const show = (event: AgentEvent) => showSafely(view, event, runtime);
  const ask = ({ userMessage: text, sentMessage: sent, outputSchema }: Asked, files: readonly AttachedFile[]) =>
    runTurn(conversation, { text, sent, outputSchema, attachments: files, signal: stop.signal }, show);
  if (schema === undefined) return ask(message, attachments);
  const { runWithSchema } = await import('../../runtime/answer-schema/index.ts');
  return runWithSchema({
    schema,
    message,
    // The second turn continues the session of the first.
    runTurn: ({ resume, ...turn }) => ask(turn, resume === undefined ? attachments : []),
    onInvalid: (problems) => sayInvalid(start, problems),
  });
}

type Asked = Pick<RunInput, 'userMessage' | 'sentMessage' | 'outputSchema'>;

async function runTurn(conversation: Conversation, message: ConversationMessage, show: (event: AgentEvent) => void) {
  const turn = conversation.queue(message);
  for await (const event of turn) {
    show(event);
    saveCompileCacheInLongTurn(event);
  }
  return turn.result;
}

/** The text to send instead of a prompt that calls a skill or is combined with `--skills`. */
export async function sentFor(
  prompt: string,
  runtime: Runtime,
  { skills }: Pick<ChatStart['options'], 'skills'>,
): Promise<string | undefined> {
  const called = await callSkill(runtime.skills(), prompt);
  return skills === undefined ? called : startWithSkills(runtime.skills(), skills, called ?? prompt);
}

function sayInvalid({ io, lines, options }: ChatStart, problems: readonly string[]): void {
  const invalid = { type: 'answer-invalid', problems };
  lines?.write(invalid);
  if (lines === undefined && !options.quiet)
    writeNotice(io, `The answer does not match the schema (${problems.join('; ')}); asking the model again.`);
}

/** A session that is never ended would never be pruned. The answer is complete, so a failure is only logged. */
async function leave(conversation: Conversation, { logger }: Runtime): Promise<void> {
  try {
    await conversation.endSession('one_shot');
  } catch (thrown) {
    const { sessionId } = conversation;
    logger.warn('could not close the session', { sessionId, reason: errorMessage(thrown) });
  }
}

/** An error in the view must not end the turn. */
function showSafely(view: EventView, event: AgentEvent, runtime: Runtime): void {
  try {
    view.show(event);
  } catch (thrown) {
    runtime.logger.error('could not show an event', { event: event.type }, thrown);
  }
}

async function conclude(start: ChatStart, runtime: Runtime, view: EventView, result: RunResult): Promise<number> {
  const { options, io } = start;
  let exitCode = start.exits.exitCode(exitFacts(result.exitReason).exitCode);
  if (options.usageFile !== undefined) {
    try {
      const { usageOf, writeUsageFile } = await import('./usage-file.ts');
      await writeUsageFile(options.usageFile, io.workingDirectory, usageOf(result));
    } catch (thrown) {
      writeReport(io, describeError(thrown, runtime.logFile));
      exitCode ||= 1;
    }
  }
  if (!result.completed) await reportEnd(start, runtime, result);
  else if (options.output === 'text' && !options.quiet) {
    io.stderr.write(`Session ${result.sessionId} (hermes --resume ${result.sessionId})\n`);
  }
  // Last, so that nothing follows the result record of the JSON lines.
  view.finish(result, exitCode);
  start.exits.conclude(exitCode);
  return exitCode;
}

async function reportEnd({ io, options, exits }: ChatStart, runtime: Runtime, result: RunResult): Promise<void> {
  // Nobody reads it, or the reason was reported already.
  if (exits.cause()?.isFinal) return;
  const { describeExit } = await import('./output/describe-exit.ts');
  const report = describeExit(result, runtime.logFile);
  if (report === undefined || (options.quiet && !result.failed)) return;
  const hint = report.hint ?? `Continue with: hermes --resume ${result.sessionId} -q "…"`;
  writeReport(io, { message: report.message, hint });
}

function warn({ io, options }: ChatStart, runtime: Runtime, warning: string): void {
  runtime.logger.warn(warning);
  if (!options.quiet) writeNotice(io, warning);
}
