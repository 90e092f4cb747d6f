import type { CliIo } from './cli-io.ts';
import type { ExitPath } from './exit-path.ts';
import type { JsonLines } from './output/json-lines.ts';

/** Called first with uncaught errors; returns true if the process can continue, for example after an error in a plugin. */
type UncaughtErrorFilter = { ignore?(thrown: unknown): boolean };

/** One invocation of `hermes`, with everything that is needed to report how it ended. */
export type CliRun = {
  io: CliIo;
  exits: ExitPath;
  /** Set if the output is JSON lines. */
  lines: JsonLines | undefined;
  usageFile: string | undefined;
  uncaughtErrors: UncaughtErrorFilter;
};
