import { getEventListeners } from 'node:events';
import { ConfigurationError, exitFacts, HermesError, systemClock, USAGE_EXIT_CODE } from '../../base/index.ts';
import { chooseProfile, homePaths, resolveHome } from '../../config/index.ts';
import { rememberVariables } from '../../util/index.ts';
import type { CommandRun } from './chat-options.ts';
import type { CliIo } from './cli-io.ts';
import type { CliRun } from './cli-run.ts';
import { createExitPath, faultCause, lostOutputCause, StoppedBySignal } from './exit-path.ts';
import { createJsonLines } from './output/json-lines.ts';
import { exitWhenFlushed, flushed, HANG_UP_EXIT_CODE, type OutputWatch } from './output-errors.ts';
import { describeError, type Report, writeReport } from './report-error.ts';

/** Parses the arguments and runs the command, which loads only the code it needs. */
export async function runCli(argv: readonly string[], io: CliIo, output: OutputWatch): Promise<number> {
  rememberVariables(io.env);
  const run: CliRun = {
    io,
    // The arguments are not parsed yet, but a parse error must already be reported in the right format.
    lines: argv.includes('--json') ? createJsonLines(io.stdout) : undefined,
    usageFile: findUsageFile(argv),
    uncaughtErrors: {},
    exits: createExitPath((exitCode) => exitImmediately(run, exitCode)),
  };
  output.setHandler((exitCode) => run.exits.request(lostOutputCause(exitCode)));
  const faults = catchUncaughtErrors(run);
  try {
    const exitCode = await Promise.race([runCommand(argv, run), run.exits.stopped]).catch((thrown: unknown) =>
      reportFailure(thrown, run),
    );
    run.exits.conclude(exitCode);
    faults.report();
    await flushed(io.stdout);
    return run.exits.exitCode(exitCode);
  } finally {
    faults.stop();
    // The listeners stay until the process exits, because a signal must not end it while its last lines are written.
    // Tests run several commands in one process.
    if (io.stdout !== process.stdout) run.exits.stop();
  }
}

/** Running work did not end in time. The last line is still the result record. */
function exitImmediately({ io, lines }: CliRun, exitCode: number): void {
  const error = { message: 'Hermes exited before the turn had ended; everything up to then is stored.' };
  lines?.endWithout({ exitReason: 'interrupted', exitCode, error });
  exitWhenFlushed(io.stdout, lines?.exitCode() ?? exitCode);
}

/**
 * Catches uncaught errors. Otherwise they would end the process with a stack trace, without a result record, and with
 * an unfinished turn. The error is printed when the work has ended, because a screen may be open until then.
 */
function catchUncaughtErrors(run: CliRun): { report(): void; stop(): void } {
  let isFirst = true;
  let pending: Report | undefined;
  const onFault = (thrown: unknown) => {
    if (run.uncaughtErrors.ignore?.(thrown)) return;
    // Errors that follow while the first is reported, for example from the next frame of a screen, have the same
    // cause.
    if (!isFirst) return;
    if (isLostTerminal(thrown, run.io)) return run.exits.request(lostOutputCause(HANG_UP_EXIT_CODE));
    isFirst = false;
    void take(thrown);
  };
  const take = async (thrown: unknown) => {
    const { report: found, exitCode, exitReason } = await describeFailure(thrown, run);
    pending = found;
    await recordFailure(found, exitCode, exitReason, run);
    run.exits.request(faultCause(exitCode));
  };
  const report = () => {
    if (pending !== undefined) writeReport(run.io, pending);
    pending = undefined;
  };
  // The process may exit without waiting for the work.
  process.on('exit', report);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  return {
    report,
    stop() {
      process.off('exit', report);
      process.off('uncaughtException', onFault);
      process.off('unhandledRejection', onFault);
    },
  };
}

/** Reading from a closed terminal, or changing its mode, fails with this error, often before SIGHUP arrives. */
function isLostTerminal(thrown: unknown, { inputKind }: CliIo): boolean {
  return inputKind === 'terminal' && thrown instanceof Error && 'code' in thrown && thrown.code === 'EIO';
}

async function runCommand(argv: readonly string[], run: CliRun): Promise<number> {
  const { io } = run;
  await io.earlyInput?.readKeys();
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
  run.exits.setHandler((cause) => {
    const reason = cause.error('; completed steps are kept.');
    // A command that waits until its output is read would wait forever if the output was closed.
    const endsItself = !cause.isFinal && getEventListeners(stopping.signal, 'abort').length > 0;
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

type Failure = { report: Report; exitCode: number; exitReason: 'failed' | 'interrupted' };

async function describeFailure(thrown: unknown, { io }: CliRun): Promise<Failure> {
  const stopped = thrown instanceof StoppedBySignal;
  const exitCode = stopped
    ? exitFacts('interrupted').exitCode
    : thrown instanceof ConfigurationError
      ? USAGE_EXIT_CODE
      : 1;
  const report = describeError(thrown, thrown instanceof HermesError ? undefined : await logInternalError(thrown, io));
  return { report, exitCode, exitReason: stopped ? 'interrupted' : 'failed' };
}

/** Reports why the work failed, unless it was abandoned because of something that was reported or that hides reports. */
async function reportFailure(thrown: unknown, run: CliRun): Promise<number> {
  const cause = run.exits.cause();
  if (cause?.isFinal) {
    await recordFailure({ message: cause.reason }, cause.exitCode, 'interrupted', run);
    return cause.exitCode;
  }
  const { report, exitCode, exitReason } = await describeFailure(thrown, run);
  writeReport(run.io, report);
  await recordFailure(report, exitCode, exitReason, run);
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
