import type { CommandOptions, CommandResult, Environment } from '../contracts/index.ts';
import { createOutputCollector } from '../environments/index.ts';

export const TERMINAL_SIZE = { columns: 80, rows: 24 };

type PtyResult = Omit<CommandResult, 'workingDirectory'>;

/** Runs a command in a terminal until it ends, its time is over, or the signal is aborted. Nobody types. */
export async function runInPty(
  environment: Environment,
  command: string,
  options: Omit<CommandOptions, 'stdin'>,
): Promise<PtyResult> {
  const { workingDirectory, signal, timeoutMs } = options;
  const collector = createOutputCollector(options);
  const take = collector.source();
  const process = await environment.start(command, { pty: TERMINAL_SIZE, workingDirectory, endWithProgram: true });
  options.onBegun?.(process.record);
  const endings = createLineEndings();
  process.onOutput((text) => take(Buffer.from(endings(text))));
  const timeout = AbortSignal.timeout(timeoutMs);
  const stopped = untilAborted(AbortSignal.any([signal, timeout]));
  const ending = await Promise.race([process.ended, stopped.promise]);
  stopped.forget();
  if (ending !== undefined) {
    const ended = ending.signalName === undefined ? 'exit' : 'signal';
    const name = ending.signalName === undefined ? {} : { signalName: ending.signalName };
    return { ...collector.finish(), exitCode: ending.exitCode, ended, ...name };
  }
  const gone = await process.kill();
  if (gone) await process.ended;
  const ended = signal.aborted ? 'interrupted' : 'timeout';
  return { ...collector.finish(), exitCode: undefined, ended, leftRunning: !gone };
}

function untilAborted(signal: AbortSignal): { promise: Promise<undefined>; forget(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return { promise, forget: () => signal.removeEventListener('abort', stop) };
}

/** A terminal ends its lines with two characters, the second of which may come with the next piece. */
function createLineEndings(): (text: string) => string {
  let pending = '';
  return (text) => {
    const whole = pending + text;
    pending = whole.endsWith('\r') ? '\r' : '';
    return whole.slice(0, whole.length - pending.length).replaceAll('\r\n', '\n');
  };
}
