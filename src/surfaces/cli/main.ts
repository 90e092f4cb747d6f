import { type CliIo, processIo } from './cli-io.ts';
import { watchOutput } from './output-errors.ts';
import { VERSION } from './version.ts';

/** Runs the command line and returns the exit code. */
export async function main(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  const output = watchOutput(io);
  // `--version` is called often, by scripts and people, so it loads nothing else.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const { runCli } = await import('./run-cli.ts');
  return runCli(argv, io, output);
}
