import type { BackgroundProcess } from '../contracts/index.ts';
import { redactSecrets, shorten, takeEnd } from '../util/index.ts';

const SHOWN_COMMAND = 80;
const SHOWN_OUTPUT = 2000;

/** The id and the shortened command, such as `proc_1f… (npm test)`. */
export function nameProcess({ id, command }: Pick<BackgroundProcess, 'id' | 'command'>): string {
  return `${id} (${redactSecrets(shorten(command, SHOWN_COMMAND))})`;
}

/** The notice that a session receives when a background process exits. */
export function describeCompletion(process: BackgroundProcess, extra?: string): string {
  const output = redactSecrets(takeEnd(process.output.text(), SHOWN_OUTPUT).trimEnd());
  return [
    `Background process ${nameProcess(process)} ${describeEnding(process)}.`,
    ...(extra === undefined ? [] : [`Its watch patterns were disabled: ${extra}.`]),
    ...(output === '' ? ['No output.'] : ['Last output:', output]),
  ].join('\n');
}

export function describeEnding(process: BackgroundProcess): string {
  const ending = process.ending();
  if (ending === undefined) return 'is running';
  const { exitCode, signalName } = ending;
  if (signalName !== undefined) return `was killed by ${signalName}`;
  return exitCode === undefined ? 'exited (exit code unknown)' : `exited with code ${exitCode}`;
}
