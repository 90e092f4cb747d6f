import { errorMessage } from '../base/index.ts';
import type { Environment } from '../contracts/index.ts';
import { describeCompletion, nameProcess } from './describe-process.ts';
import { createPolledProcess } from './polled-process.ts';
import type { ProcessEntry, StoredProcess } from './process-entry.ts';
import type { RecoverableProcess, TableFile } from './table-file.ts';
import { BUFFER_SIZE, type TableState } from './table-state.ts';

/**
 * The processes that killed Hermes processes left running: `found` in this environment, `inOtherLocations` in
 * locations that it cannot access.
 */
type Recovered = { found: readonly ProcessEntry[]; inOtherLocations: readonly StoredProcess[] };

const NOTHING_RECOVERED: Recovered = { found: [], inOtherLocations: [] };

/**
 * Recovers processes once per location, because only the environment of that location can check whether they still
 * run.
 */
export interface Recovery {
  hasBegun(environment: Environment): boolean;
  /** Returns no processes if the search failed. */
  recover(environment: Environment): Promise<Recovered>;
}

export function createRecovery(parts: TableState): Recovery {
  const begun = new Map<string, Promise<Recovered>>();
  const { tableFile, logger } = parts;
  return {
    hasBegun: ({ location }) => begun.has(location),
    recover(environment) {
      const known = begun.get(environment.location);
      if (known !== undefined) return known;
      const recovered = tableFile?.hasOtherTables()
        ? recoverAll(parts, tableFile, environment)
        : Promise.resolve(NOTHING_RECOVERED);
      const safely = recovered.catch((thrown: unknown) => {
        logger.warn('could not recover the processes of an earlier Hermes process', { reason: errorMessage(thrown) });
        return NOTHING_RECOVERED;
      });
      begun.set(environment.location, safely);
      return safely;
    },
  };
}

/** Takes over the processes of this location. The others stay in their table file and are reported once. */
async function recoverAll(parts: TableState, tableFile: TableFile, environment: Environment): Promise<Recovered> {
  const all: ProcessEntry[] = [];
  const elsewhere: StoredProcess[] = [];
  await tableFile.recoverTables(async (left) => {
    const isHere = ({ stored: facts }: RecoverableProcess) => facts.place === environment.location;
    const found = await Promise.all(left.filter(isHere).map((one) => recoverOne(parts, environment, one)));
    for (const entry of found) addRecoveredProcess(parts, entry);
    // Saved in our table file before the old file is removed, so that a crash in between loses nothing.
    await parts.save();
    all.push(...found);
    const others = left.filter((one) => !isHere(one));
    elsewhere.push(
      ...others.map(({ stored: facts }) => facts).filter((each) => !each.told && each.ending === undefined),
    );
    return others.map(({ stored, savedOutput }) => ({ stored: { ...stored, told: true }, savedOutput }));
  });
  return { found: all, inOtherLocations: elsewhere };
}

async function recoverOne(
  { clock, events }: TableState,
  environment: Environment,
  { stored, savedOutput }: RecoverableProcess,
): Promise<ProcessEntry> {
  const process = stored.ending === undefined ? await environment.findProcess(stored.record) : undefined;
  return createPolledProcess({
    clock,
    events,
    bufferSize: BUFFER_SIZE,
    facts: stored,
    savedOutput,
    process,
    recovered: true,
    stdinError: 'its stdin was lost when the Hermes process that started it was killed',
  });
}

function addRecoveredProcess({ rows, exitNotices, notices, closed }: TableState, entry: ProcessEntry): void {
  rows.add(entry);
  if (!entry.facts().notifyOnComplete) return;
  if (entry.ending() !== undefined) return notices.add(entry.sessionId, entry.id, describeCompletion(entry));
  exitNotices.set(entry.id, {});
  // There is no exit event, so this polls until it ends.
  entry.untilEnded(closed.signal).catch(() => undefined);
}

/** The notice about recovered processes; undefined if there are none. */
export function describeRecovered({ found, inOtherLocations }: Recovered): string | undefined {
  const running = found.filter((entry) => entry.ending() === undefined);
  const parts = [
    formatList(
      'An earlier Hermes process was killed. These processes that it started are still running:',
      running.map((entry) => `- ${nameProcess(entry)}, pid ${entry.pid}`),
    ),
    formatList(
      'An earlier Hermes process was killed. These processes that it started in other environments may still be running there:',
      inOtherLocations.map((facts) => `- ${nameProcess(facts)}, pid ${facts.pid}, ${facts.place}`),
    ),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function formatList(heading: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [heading, ...lines].join('\n');
}
