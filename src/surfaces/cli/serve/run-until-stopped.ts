import { setFlagsFromString } from 'node:v8';
import type { CliRun } from '../cli-run.ts';

/**
 * How much the heap may grow before it is collected. By default it may grow to four times of what is in use: a gateway
 * with 1,000 chats then takes 440 MB instead of 300 MB.
 */
const HEAP_GROWTH_PERCENT = 40;

/** Prepares a process that runs for months. The returned signal is aborted when running turns may still end. */
export function runUntilStopped({ io, exits }: CliRun): AbortSignal {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const stop = new AbortController();
  exits.setHandler(() => {
    io.stderr.write('Waiting for running turns to end; press Ctrl-C again to stop immediately.\n');
    stop.abort();
  });
  return stop.signal;
}
