import type { CliRun } from '../cli-run.ts';

/**
 * The signals of a batch run. The first exit request aborts `signal`, after which prompts in progress are still
 * completed; a second one aborts `interrupt`.
 */
export function stopSignals({ exits }: CliRun): { signal: AbortSignal; interrupt: AbortSignal } {
  const stop = new AbortController();
  exits.setHandler((cause) => stop.abort(cause.error('; completed steps are kept.')));
  return { signal: stop.signal, interrupt: exits.forced };
}
