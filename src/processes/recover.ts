import { errorMessage } from '../base/index.ts';
import type { Environment } from '../contracts/index.ts';
import { describeCompletion, nameProcess } from './describe-process.ts';
import { createFoundProcess } from './found-process.ts';
import type { ProcessEntry, ProcessFacts } from './process-entry.ts';
import type { Left, TableFile } from './table-file.ts';
import { BUFFER_SIZE, type TableParts } from './table-parts.ts';

/** What killed programs left: found where one could look, and written down for places where one could not. */
type Recovered = { found: readonly ProcessEntry[]; elsewhere: readonly ProcessFacts[] };

const NOTHING: Recovered = { found: [], elsewhere: [] };

/** Looks for what killed programs left, once per place: only its environment can tell whether it still runs. */
export interface Recovery {
  hasBegun(environment: Environment): boolean;
  /** Nothing where it could not be looked for. */
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
        logger.warn('processes of an earlier run could not be looked for', { reason: errorMessage(thrown) });
        return NOTHING;
      });
      begun.set(environment.place, safely);
      return safely;
    },
  };
}

/** Takes over what was started in this place; the rest stays where it is written, and is told of once. */
async function recoverAll(parts: TableParts, tableFile: TableFile, environment: Environment): Promise<Recovered> {
  const all: ProcessEntry[] = [];
  const elsewhere: ProcessFacts[] = [];
  await tableFile.takeOver(async (left) => {
    const isHere = ({ facts }: Left) => facts.place === environment.place;
    const found = await Promise.all(left.filter(isHere).map((one) => recoverOne(parts, environment, one)));
    for (const entry of found) addRecoveredProcess(parts, entry);
    // Written down as ours before the old file goes, so that nothing is lost in between.
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
    noInput: 'its input was lost when the program that started it was killed',
  });
}

function addRecoveredProcess({ rows, wanted, notices, closed }: TableParts, entry: ProcessEntry): void {
  rows.add(entry);
  if (!entry.facts().notifyOnComplete) return;
  if (entry.ending() !== undefined) return notices.add(entry.sessionId, entry.id, describeCompletion(entry));
  wanted.set(entry.id, {});
  // Nobody tells of its end, so it is looked for.
  entry.untilEnded(closed.signal).catch(() => undefined);
}

/** The notice about processes that a killed Hermes left running; undefined if there are none. */
export function describeRecovered({ found, elsewhere }: Recovered): string | undefined {
  const running = found.filter((entry) => entry.ending() === undefined);
  const parts = [
    formatList(
      'An earlier run of Hermes was killed. Of what it had started this still runs:',
      running.map((entry) => `- ${nameProcess(entry)}, pid ${entry.pid}`),
    ),
    formatList(
      'An earlier run of Hermes was killed. What it had started in other places may still run there:',
      elsewhere.map((facts) => `- ${nameProcess(facts)}, pid ${facts.pid}, ${facts.place}`),
    ),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function formatList(heading: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [heading, ...lines].join('\n');
}
