import type { CliIo } from './cli-io.ts';
import type { JsonLines } from './output/json-lines.ts';
import type { SignalWatch } from './signals.ts';

/** Who looks first at what is thrown where nobody waits for it; true where it is nothing to end for. */
type StrayFaults = { take?(thrown: unknown): boolean };

/** One call of the command, and the ways in which it tells how it ended. */
export type CliRun = {
  io: CliIo;
  signals: SignalWatch;
  /** Where the answer is wanted as JSON lines. */
  lines: JsonLines | undefined;
  usageFile: string | undefined;
  strays: StrayFaults;
};
