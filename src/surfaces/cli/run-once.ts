import { type AgentEvent, exitFacts, type RunResult } from '../../base/index.ts';
import { createRuntime, type Runtime } from '../../runtime/index.ts';
import type { ChatStart } from './chat.ts';
import { describeEnding } from './output/describe-ending.ts';
import type { EventView } from './output/event-view.ts';
import { createFinalView } from './output/final-view.ts';
import { createJsonView } from './output/json-view.ts';
import { createTextView } from './output/text-view.ts';
import { describeError, writeReport } from './report-error.ts';
import { watchSignals } from './signals.ts';
import { createStyle } from './style.ts';
import { usageOf, writeUsageFile } from './usage-file.ts';

/** One prompt, one answer, one exit code. Nobody is asked anything. */
export async function runOnce(start: ChatStart, prompt: string): Promise<number> {
  const { options, io } = start;
  const runtime = await createRuntime({
    settings: start.settings,
    routes: start.routes,
    contextLength: start.contextLength,
    workingDirectory: io.workingDirectory,
    source: 'cli',
    attended: false,
    maxTurns: options.maxTurns,
    yolo: options.yolo,
    verbose: options.verbose,
  });
  try {
    for (const warning of [...start.settings.warnings, ...start.warnings]) warn(start, runtime, warning);
    const view = chooseView(start);
    const result = await runTurn(runtime, start, prompt, view);
    return await conclude(start, runtime, view, result);
  } finally {
    await runtime.close();
  }
}

async function runTurn(runtime: Runtime, start: ChatStart, prompt: string, view: EventView): Promise<RunResult> {
  const { resume, continueLatest } = start.options;
  const { agent } = await runtime.openAgent({ resume, continueLatest });
  const signals = watchSignals();
  try {
    return await runtime.turns.run(agent.sessionId, async (turn) => {
      const run = agent.run({ userMessage: prompt, ...turn });
      const interrupt = () => run.interrupt(`ended by ${(signals.signal.reason as Error).message}`);
      signals.signal.addEventListener('abort', interrupt, { once: true });
      if (signals.signal.aborted) interrupt();
      for await (const event of run) showSafely(view, event, runtime);
      return run.result;
    });
  } finally {
    signals.stop();
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

function chooseView({ options, io }: ChatStart): EventView {
  if (options.output === 'json') return createJsonView(io.stdout);
  if (options.output === 'final') return createFinalView(io.stdout);
  return createTextView({
    text: io.stdout,
    notes: options.quiet ? undefined : io.stderr,
    style: createStyle(io.stderr, io.env),
    live: io.stdout.isTTY === true,
  });
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
  view.finish(result);
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
  if (!options.quiet) io.stderr.write(`hermes: ${warning}\n`);
}
