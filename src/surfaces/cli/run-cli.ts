import { ConfigurationError, USAGE_EXIT_CODE } from '../../base/index.ts';
import type { CliIo } from './cli-io.ts';
import { describeError, writeReport } from './report-error.ts';
import { endQuietlyOnBrokenPipe } from './signals.ts';

/** Finds the command and runs it. Each one loads only what it needs. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  endQuietlyOnBrokenPipe(io);
  try {
    return await run(argv, io);
  } catch (thrown) {
    return await reportFailure(thrown, argv, io);
  }
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
  const report = describeError(thrown);
  writeReport(io, report);
  if (argv.includes('--json')) {
    const { writeJsonFailure } = await import('./output/json-view.ts');
    writeJsonFailure(io.stdout, report, exitCode);
  }
  return exitCode;
}
