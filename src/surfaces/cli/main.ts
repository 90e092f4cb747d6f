import { type CliIo, processIo } from './cli-io.ts';
import { endWithoutOutput } from './output-end.ts';
import { VERSION } from './version.ts';

/** The command line, from its arguments to its exit code. */
export async function main(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  endWithoutOutput(io);
  // Asked often, by scripts and by people: it must not wait for anything.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const { runCli } = await import('./run-cli.ts');
  return runCli(argv, io);
}
