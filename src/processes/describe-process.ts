import type { BackgroundProcess } from '../contracts/index.ts';
import { redactSecrets, shorten, takeEnd } from '../util/index.ts';

const SHOWN_COMMAND = 80;
const SHOWN_OUTPUT = 2000;

/** `proc_1f… (npm test)`, in words for the model. */
export function nameProcess({ id, command }: Pick<BackgroundProcess, 'id' | 'command'>): string {
  return `${id} (${redactSecrets(shorten(command, SHOWN_COMMAND))})`;
}

/** What a session is told when a process has ended. */
export function describeCompletion(process: BackgroundProcess, extra?: string): string {
  const output = redactSecrets(takeEnd(process.output.text(), SHOWN_OUTPUT).trimEnd());
  return [
    `The background process ${nameProcess(process)} ${describeEnding(process)}.`,
    ...(extra === undefined ? [] : [`You asked to be told of some of its lines; that was given up: ${extra}.`]),
    ...(output === '' ? ['It printed nothing.'] : ['The end of its output:', output]),
  ].join('\n');
}

export function describeEnding(process: BackgroundProcess): string {
  const ending = process.ending();
  if (ending === undefined) return 'runs';
  const { exitCode, signalName } = ending;
  if (signalName !== undefined) return `was ended by ${signalName}`;
  return exitCode === undefined ? 'has ended, nobody saw how' : `has ended with exit code ${exitCode}`;
}
