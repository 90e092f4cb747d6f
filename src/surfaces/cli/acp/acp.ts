import { ConfigurationError } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { checkAcp, runAcp } from '../../acp/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import type { CliRun } from '../cli-run.ts';
import { STOP_TIMEOUT_MS } from '../exit-path.ts';
import { reserveOutput } from '../output/reserve-output.ts';
import { writeNotice } from '../report-error.ts';
import { printable } from '../style.ts';
import { VERSION } from '../version.ts';

export type AcpCommandOptions = { check?: boolean; setup?: boolean };

/** `hermes acp`. It ends with its input or with the first signal, which interrupts running turns. */
export async function acpCommand(
  { check = false, setup = false }: AcpCommandOptions,
  io: CliIo,
  signal: AbortSignal,
  run: CliRun,
): Promise<number> {
  if (check && setup) throw new ConfigurationError('Use either --check or --setup.');
  if (setup) return setUp(io, signal);
  return check ? printCheck(io) : serve(run);
}

async function serve({ io, exits, uncaughtErrors }: CliRun): Promise<number> {
  if (io.inputKind === 'terminal')
    writeNotice(io, 'An editor starts this command; see docs/editors.md. Ctrl-D ends it.');
  const stop = new AbortController();
  exits.setHandler(() => stop.abort(), STOP_TIMEOUT_MS);
  const reserved = reserveOutput(io);
  try {
    await runAcp({
      input: io.stdin,
      output: reserved.output,
      env: io.env,
      workingDirectory: io.workingDirectory,
      version: VERSION,
      signal: stop.signal,
      onOpened(runtime) {
        uncaughtErrors.ignore = runtime.plugins.handleUnhandledError;
        exits.forced.addEventListener('abort', runtime.environments.killCommands, { once: true });
      },
    });
  } finally {
    reserved.release();
  }
  return 0;
}

/** What a client runs to let the user connect a model. It must not start a chat. */
async function setUp(io: CliIo, signal: AbortSignal): Promise<number> {
  if (!isTerminal(io))
    throw new ConfigurationError('`hermes acp --setup` needs a terminal to ask in.', {
      hint: 'Use `hermes setup --provider PROVIDER --model MODEL`; see `hermes setup --help` for examples.',
    });
  const { chooseInTerminal } = await import('../model/choose-in-terminal.ts');
  const dialog = { title: 'Connect a model', probe: true, test: true, offersChat: false, offersSandbox: true, signal };
  return (await chooseInTerminal(io, resolveHome(io.env), dialog)) === 'left' ? 1 : 0;
}

async function printCheck(io: CliIo): Promise<number> {
  const { lines, isUsable } = await checkAcp({
    env: io.env,
    workingDirectory: io.workingDirectory,
    version: VERSION,
  });
  io.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
  return isUsable ? 0 : 1;
}
