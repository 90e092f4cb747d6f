import { getEventListeners } from 'node:events';
import { ConfigurationError, exitFacts, HermesError, systemClock, USAGE_EXIT_CODE } from '../../base/index.ts';
import { chooseProfile, homePaths, resolveHome } from '../../config/index.ts';
import { rememberVariables } from '../../util/index.ts';
import type { CommandRun } from './chat-options.ts';
import type { CliIo } from './cli-io.ts';
import type { CliRun } from './cli-run.ts';
import { createJsonLines } from './output/json-lines.ts';
import { exitWhenFlushed, flushed } from './output-errors.ts';
import { describeError, type Report, writeReport } from './report-error.ts';
import { StoppedBySignal, watchSignals } from './signals.ts';

/** Parses the arguments and runs the command, which loads only the code it needs. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  rememberVariables(io.env);
  const run: CliRun = {
    io,
    // The arguments are not parsed yet, but a parse error must already be reported in the right format.
    lines: argv.includes('--json') ? createJsonLines(io.stdout) : undefined,
    usageFile: findUsageFile(argv),
    uncaughtErrors: {},
    signals: watchSignals(() => exitImmediately(run)),
  };
  const stopCatching = reportUncaughtErrors(run);
  try {
    const exitCode = await Promise.race([runCommand(argv, run), run.signals.stopped]).catch((thrown: unknown) =>
      reportFailure(thrown, run),
    );
    await flushed(io.stdout);
    return exitCode;
  } finally {
    stopCatching();
    run.signals.stop();
  }
}

/** A second signal exits without waiting; the last line is still the result record. */
function exitImmediately({ io, lines }: CliRun): void {
  const { exitCode } = exitFacts('interrupted');
  const error = { message: 'The process exited after a second signal; everything up to then is stored.' };
  lines?.endWithout({ exitReason: 'interrupted', exitCode, error });
  exitWhenFlushed(io.stdout, lines?.exitCode() ?? exitCode);
}

/** Reports uncaught errors. Otherwise they would end the process with a stack trace and without a result record. */
function reportUncaughtErrors(run: CliRun): () => void {
  let isFirst = true;
  const onFault = (thrown: unknown) => {
    if (run.uncaughtErrors.ignore?.(thrown)) return;
    // Errors that follow while the first is reported, for example from the next frame of a screen, have the same
    // cause.
    if (!isFirst) return;
    isFirst = false;
    const leave = (exitCode: number) => exitWhenFlushed(run.io.stdout, exitCode);
    void reportFailure(thrown, run).then(leave, () => leave(1));
  };
  const stop = () => {
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
  };
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  return stop;
}

async function runCommand(argv: readonly string[], run: CliRun): Promise<number> {
  const { io } = run;
  const { parseArguments } = await import('./commands/parse-arguments.ts');
  const parsed = await parseArguments(argv, io);
  if ('exitCode' in parsed) return endParsing(parsed, run);
  run.io = withProfileHome(io, parsed.profile);
  const { request } = parsed;
  switch (request.kind) {
    case 'chat': {
      const { options } = request;
      run.usageFile = options.usageFile;
      run.lines = options.output === 'json' ? (run.lines ?? createJsonLines(io.stdout)) : undefined;
      return (await import('./chat.ts')).chat(options, run);
    }
    case 'command':
      return runUntilSignal(request.run, run);
  }
}

/** Sets the home directory to that of the profile. */
function withProfileHome(io: CliIo, asked: string | undefined): CliIo {
  const { name, home, chosenBy } = chooseProfile(io.env, asked);
  if (chosenBy === 'nobody') return io;
  const env = { ...io.env, HERMES_HOME: home, HERMES_PROFILE: name };
  // `Object.create` instead of a copy, because copying would open stdin.
  return Object.create(io, { env: { value: env, enumerable: true } }) as CliIo;
}

/**
 * Runs a command until it ends or a signal arrives. The commands work in atomic steps, so they can be stopped at any
 * time. A command that uses worker threads must stop them first, so it listens to the signal and ends itself.
 */
function runUntilSignal(command: CommandRun, run: CliRun): Promise<number> {
  const stopped = Promise.withResolvers<never>();
  const stopping = new AbortController();
  run.signals.setHandler((name) => {
    const reason = new StoppedBySignal(`Stopped by ${name}; completed steps are kept.`);
    const endsItself = getEventListeners(stopping.signal, 'abort').length > 0;
    stopping.abort(reason);
    if (!endsItself) stopped.reject(reason);
  });
  return Promise.race([command(run.io, stopping.signal, run), stopped.promise]);
}

/** The parser has already printed the help, the version or the error. */
async function endParsing(parsed: { exitCode: number; message: string }, run: CliRun): Promise<number> {
  if (parsed.exitCode !== 0) await recordFailure(parsed, parsed.exitCode, 'failed', run);
  return parsed.exitCode;
}

async function reportFailure(thrown: unknown, run: CliRun): Promise<number> {
  const stopped = thrown instanceof StoppedBySignal;
  const exitCode = stopped
    ? exitFacts('interrupted').exitCode
    : thrown instanceof ConfigurationError
      ? USAGE_EXIT_CODE
      : 1;
  const report = describeError(
    thrown,
    thrown instanceof HermesError ? undefined : await logInternalError(thrown, run.io),
  );
  writeReport(run.io, report);
  await recordFailure(report, exitCode, stopped ? 'interrupted' : 'failed', run);
  return exitCode;
}

/** The usage file and the result record are written even if no request was sent. */
async function recordFailure(
  error: Report,
  exitCode: number,
  exitReason: 'failed' | 'interrupted',
  { io, lines, usageFile }: CliRun,
): Promise<void> {
  if (usageFile !== undefined && lines?.exitCode() === undefined) {
    try {
      const { usageOfFailure, writeUsageFile } = await import('./usage-file.ts');
      await writeUsageFile(usageFile, io.workingDirectory, usageOfFailure(error.message, exitCode, exitReason));
    } catch {
      // The failure was already reported, and it may be about the usage file itself.
    }
  }
  lines?.endWithout({ exitReason, exitCode, error: { message: error.message, hint: error.hint } });
}

/** Finds `--usage-file FILE` in arguments that could not be parsed. */
function findUsageFile(argv: readonly string[]): string | undefined {
  const options = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  const joined = options.find((word) => word.startsWith('--usage-file='))?.slice('--usage-file='.length);
  const next = options[options.indexOf('--usage-file') + 1];
  const apart = options.includes('--usage-file') && next?.startsWith('-') === false ? next : undefined;
  return joined || apart || undefined;
}

/** Writes an internal error with its stack trace to the log. Returns undefined if the log cannot be written. */
async function logInternalError(thrown: unknown, io: CliIo): Promise<string | undefined> {
  try {
    const { createFileLogger } = await import('../../runtime/file-logger.ts');
    const { logFile } = homePaths(resolveHome(io.env));
    const logger = createFileLogger({ file: logFile, clock: systemClock });
    logger.error('internal error', {}, thrown);
    logger.close();
    return logFile;
  } catch {
    return undefined;
  }
}
