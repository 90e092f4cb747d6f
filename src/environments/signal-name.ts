import { constants } from 'node:os';

export function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/** The signal that a shell means by an exit code above 128. */
export function signalOfCode(exitCode: number): string | undefined {
  return exitCode > 128 ? signalName(exitCode - 128) : undefined;
}
