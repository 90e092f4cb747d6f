import type { CliIo } from './cli-io.ts';
import type { JsonLines } from './output/json-lines.ts';
import type { SignalWatch } from './signals.ts';

/** One call of the command, and the ways in which it tells how it ended. */
export type CliRun = {
  io: CliIo;
  signals: SignalWatch;
  /** Where the answer is wanted as JSON lines. */
  lines: JsonLines | undefined;
  usageFile: string | undefined;
};
