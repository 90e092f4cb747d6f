import { errorMessage } from '../base/index.ts';
import type { Environment } from '../contracts/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Left } from './left-behind.ts';
import { describeCompletion } from './describe-process.ts';
import { createFoundProcess } from './found-process.ts';
import type { ProcessEntry } from './process-entry.ts';
import { BUFFER_SIZE, type TableParts } from './table-parts.ts';

/** Looks for what killed programs left, once per kind of environment: only that can tell whether it still runs. */
export interface Recovery {
  hasBegun(environment: Environment): boolean;
  /** What was found; nothing where it could not be looked for. */
  recover(environment: Environment): Promise<ProcessEntry[]>;
}

export function createRecovery(parts: TableParts): Recovery {
  const begun = new Map<string, Promise<ProcessEntry[]>>();
  const { checkpoint, logger } = parts;
  return {
    hasBegun: ({ name }) => begun.has(name),
    recover(environment) {
      const known = begun.get(environment.name);
      if (known !== undefined) return known;
      const found = checkpoint?.hasOthers() ? recoverAll(parts, checkpoint, environment) : Promise.resolve([]);
      const safely = found.catch((thrown: unknown) => {
        logger.warn('processes of an earlier run could not be looked for', { reason: errorMessage(thrown) });
        return [];
      });
      begun.set(environment.name, safely);
      return safely;
    },
  };
}

/** Takes over what was started in this kind of environment; the rest stays where it is written. */
async function recoverAll(
  parts: TableParts,
  checkpoint: Checkpoint,
  environment: Environment,
): Promise<ProcessEntry[]> {
  const all: ProcessEntry[] = [];
  await checkpoint.takeOver(async (left) => {
    const mine = left.filter(({ facts }) => facts.environment === environment.name);
    const found = await Promise.all(mine.map((one) => recoverOne(parts, environment, one)));
    for (const entry of found) enter(parts, entry);
    // Written down as ours before the old file goes, so that nothing is lost in between.
    await parts.save();
    all.push(...found);
    return left.filter(({ facts }) => facts.environment !== environment.name);
  });
  return all;
}

async function recoverOne(
  { clock, events }: TableParts,
  environment: Environment,
  { facts, printed }: Left,
): Promise<ProcessEntry> {
  const process = facts.ending === undefined ? await environment.findProcess(facts.record) : undefined;
  return createFoundProcess({ clock, events, bufferSize: BUFFER_SIZE, facts, printed, process });
}

function enter({ rows, wanted, notices, closed }: TableParts, entry: ProcessEntry): void {
  rows.add(entry);
  if (!entry.facts().notifyOnComplete) return;
  if (entry.ending() !== undefined) return notices.add(entry.sessionId, entry.id, describeCompletion(entry));
  wanted.set(entry.id, {});
  // Nobody tells of its end, so it is looked for.
  entry.untilEnded(closed.signal).catch(() => undefined);
}
