import { PassThrough } from 'node:stream';
import { parseArguments } from '../../../src/surfaces/cli/commands/parse-arguments.ts';

/** Parses the words after `hermes` with the real command table. Returns the error message, or undefined if they are valid. */
export async function findUsageError(words: readonly string[]): Promise<string | undefined> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: new PassThrough(), inputKind: 'none' as const, stdout, stderr, env: {}, workingDirectory: '/' };
  try {
    const parsed = await parseArguments(words, io);
    return 'request' in parsed || parsed.exitCode === 0 ? undefined : parsed.message;
  } catch (thrown) {
    return String(thrown);
  }
}
