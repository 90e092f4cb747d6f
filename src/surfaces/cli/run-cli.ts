import { ConfigurationError, HermesError, systemClock, USAGE_EXIT_CODE } from '../../base/index.ts';
import { homePaths, resolveHome } from '../../config/index.ts';
import type { CliIo } from './cli-io.ts';
import { describeError, writeReport } from './report-error.ts';
import { endQuietlyOnBrokenPipe } from './signals.ts';

/** Finds the command and runs it. Each one loads only what it needs. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  endQuietlyOnBrokenPipe(io);
  const stop = catchStrayFaults(argv, io);
  try {
    return await run(argv, io);
  } catch (thrown) {
    return await reportFailure(thrown, argv, io);
  } finally {
    stop();
  }
}

/** What is thrown where nobody waits for it would end the process with a stack trace and without a last line. */
function catchStrayFaults(argv: readonly string[], io: CliIo): () => void {
  const onFault = (thrown: unknown) => {
    stop();
    void reportFailure(thrown, argv, io).then((exitCode) => process.exit(exitCode));
  };
  const stop = () => {
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
  };
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  return stop;
}

async function run(argv: readonly string[], io: CliIo): Promise<number> {
  const { parseArguments } = await import('./parse-arguments.ts');
  const parsed = parseArguments(argv, io);
  if ('exitCode' in parsed) return parsed.exitCode === 0 ? 0 : await reportUsageError(argv, io, parsed.exitCode);
  const { request } = parsed;
  switch (request.kind) {
    case 'chat':
      return (await import('./chat.ts')).chat(request.options, io);
    case 'setup':
      return (await import('./setup/setup.ts')).setup(request.options, io);
    case 'sessions-list':
      return (await import('./sessions-list.ts')).listSessions(request.limit, io);
    case 'config-path':
      return (await import('./config-path.ts')).showConfigPath(io);
  }
}

/** A parser's own message is on standard error already; readers of JSON lines still get their last line. */
async function reportUsageError(argv: readonly string[], io: CliIo, exitCode: number): Promise<number> {
  if (argv.includes('--json')) {
    const { writeJsonFailure } = await import('./output/json-view.ts');
    writeJsonFailure(io.stdout, { message: 'The command line could not be understood.' }, exitCode);
  }
  return exitCode;
}

async function reportFailure(thrown: unknown, argv: readonly string[], io: CliIo): Promise<number> {
  const exitCode = thrown instanceof ConfigurationError ? USAGE_EXIT_CODE : 1;
  const report = describeError(thrown, thrown instanceof HermesError ? undefined : await logFault(thrown, io));
  writeReport(io, report);
  if (argv.includes('--json')) {
    const { writeJsonFailure } = await import('./output/json-view.ts');
    writeJsonFailure(io.stdout, report, exitCode);
  }
  return exitCode;
}

/** A fault of ours: the person gets two lines, the log gets all of it. */
async function logFault(thrown: unknown, io: CliIo): Promise<string> {
  const { createFileLogger } = await import('../../runtime/index.ts');
  const { logFile } = homePaths(resolveHome(io.env));
  const logger = createFileLogger({ file: logFile, clock: systemClock });
  logger.error('a fault in hermes itself', {}, thrown);
  logger.close();
  return logFile;
}
