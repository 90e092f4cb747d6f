import { resolveHome } from '../../config/paths.ts';
import { type CliIo, processIo } from './cli-io.ts';
import { watchOutput } from './output-errors.ts';
import { type EarlyInput, openEarlyInput } from './terminal/early-input.ts';
import { readFirstFrame } from './terminal/first-frame.ts';
import { VERSION } from './version.ts';

/** Words that do not change what a chat shows first. With any other, the input line appears when the chat does. */
const CHAT_WORDS: readonly string[] = ['chat', '-c', '--continue', '--yolo', '--plan', '--checkpoints'];

/** Runs the command line and returns the exit code. */
export async function main(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  const output = watchOutput(io);
  // `--version` is called often, by scripts and people, so it loads nothing else.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const earlyInput = openInput(argv, io);
  try {
    await earlyInput?.readKeys();
    const { runCli } = await import('./run-cli.ts');
    return await runCli(argv, earlyInput === undefined ? io : withEarlyInput(io, earlyInput), output);
  } finally {
    earlyInput?.release();
  }
}

/** Shows the input line immediately if this is certain to become a chat with the screen. */
function openInput(argv: readonly string[], { env, inputKind, stdout }: CliIo): EarlyInput | undefined {
  const isChat = inputKind === 'terminal' && stdout === process.stdout && stdout.isTTY && stdout.columns;
  if (!isChat || env['TERM'] === 'dumb' || env['HERMES_PLAIN'] || argv.some((word) => !CHAT_WORDS.includes(word))) {
    return undefined;
  }
  const frame = readFirstFrame(resolveHome(env), { version: VERSION, env, columns: stdout.columns ?? 0 });
  // The screen leaves one row free.
  return frame && frame.lines.length < (stdout.rows ?? 0) ? openEarlyInput(frame) : undefined;
}

function withEarlyInput(io: CliIo, earlyInput: EarlyInput): CliIo {
  // `Object.create` instead of a copy, because copying would open stdin.
  return Object.create(io, { earlyInput: { value: earlyInput, enumerable: true } }) as CliIo;
}
