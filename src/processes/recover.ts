import { errorMessage } from '../base/index.ts';
import type { Environment } from '../contracts/index.ts';
import { describeCompletion, nameProcess } from './describe-process.ts';
import { createFoundProcess } from './found-process.ts';
import type { ProcessEntry, ProcessFacts } from './process-entry.ts';
import type { Left, TableFile } from './table-file.ts';
import { BUFFER_SIZE, type TableParts } from './table-parts.ts';

/**
 * What killed Hermes processes left running: `found` in this environment, `elsewhere` in locations it cannot access.
 */
type Recovered = { found: readonly ProcessEntry[]; elsewhere: readonly ProcessFacts[] };

const NOTHING: Recovered = { found: [], elsewhere: [] };

/** Recovers processes once per location, because only its environment can check whether they still run. */
export interface Recovery {
  hasBegun(environment: Environment): boolean;
  /** Returns no processes if the search failed. */
  recover(environment: Environment): Promise<Recovered>;
}

export function createRecovery(parts: TableParts): Recovery {
  const begun = new Map<string, Promise<Recovered>>();
  const { tableFile, logger } = parts;
  return {
    hasBegun: ({ place }) => begun.has(place),
    recover(environment) {
      const known = begun.get(environment.place);
      if (known !== undefined) return known;
      const recovered = tableFile?.hasOthers() ? recoverAll(parts, tableFile, environment) : Promise.resolve(NOTHING);
      const safely = recovered.catch((thrown: unknown) => {
        logger.warn('could not recover the processes of an earlier Hermes process', { reason: errorMessage(thrown) });
        return NOTHING;
      });
      begun.set(environment.place, safely);
      return safely;
    },
  };
}

/** Takes over the processes of this location. The others stay in their table file and are reported once. */
async function recoverAll(parts: TableParts, tableFile: TableFile, environment: Environment): Promise<Recovered> {
  const all: ProcessEntry[] = [];
  const elsewhere: ProcessFacts[] = [];
  await tableFile.takeOver(async (left) => {
    const isHere = ({ facts }: Left) => facts.place === environment.place;
    const found = await Promise.all(left.filter(isHere).map((one) => recoverOne(parts, environment, one)));
    for (const entry of found) addRecoveredProcess(parts, entry);
    // Saved in our table file before the old file is removed, so that a crash in between loses nothing.
    await parts.save();
    all.push(...found);
    const others = left.filter((one) => !isHere(one));
    elsewhere.push(...others.map(({ facts }) => facts).filter(({ told, ending }) => !told && ending === undefined));
    return others.map(({ facts, printed }) => ({ facts: { ...facts, told: true }, printed }));
  });
  return { found: all, elsewhere };
}

async function recoverOne(
  { clock, events }: TableParts,
  environment: Environment,
  { facts, printed }: Left,
): Promise<ProcessEntry> {
  const process = facts.ending === undefined ? await environment.findProcess(facts.record) : undefined;
  return createFoundProcess({
    clock,
    events,
    bufferSize: BUFFER_SIZE,
    facts,
    printed,
    process,
    found: true,
    noInput: 'its stdin was lost when the Hermes process that started it was killed',
  });
}

function addRecoveredProcess({ rows, wanted, notices, closed }: TableParts, entry: ProcessEntry): void {
  rows.add(entry);
  if (!entry.facts().notifyOnComplete) return;
  if (entry.ending() !== undefined) return notices.add(entry.sessionId, entry.id, describeCompletion(entry));
  wanted.set(entry.id, {});
  // There is no exit event, so this polls until it ends.
  entry.untilEnded(closed.signal).catch(() => undefined);
}

/** The notice about recovered processes; undefined if there are none. */
export function describeRecovered({ found, elsewhere }: Recovered): string | undefined {
  const running = found.filter((entry) => entry.ending() === undefined);
  const parts = [
    formatList(
      'An earlier Hermes process was killed. These processes that it started are still running:',
      running.map((entry) => `- ${nameProcess(entry)}, pid ${entry.pid}`),
    ),
    formatList(
      'An earlier Hermes process was killed. These processes that it started in other environments may still be running there:',
      elsewhere.map((facts) => `- ${nameProcess(facts)}, pid ${facts.pid}, ${facts.place}`),
    ),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function formatList(heading: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [heading, ...lines].join('\n');
}
