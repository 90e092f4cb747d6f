import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, errorMessage, isJsonObject, parseJson } from '../base/index.ts';
import { homePaths } from '../config/index.ts';
import type { LearnedLimits, Logger, LimitOwner } from '../contracts/index.ts';
import { changeFile, writeFileAtomic } from '../util/index.ts';

/** Maximum number of remembered models; the oldest are dropped. */
const MAX_ENTRIES = 200;
/** Limits expire, because a server may be restarted with another window and a plan may get a larger one. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;

type Entry = { tokens: number; at: number };
type Entries = Map<string, Entry>;

/** The files of the limits that are saved across restarts. */
const LIMIT_FILES = { windows: 'learnt-windows.json', outputLimits: 'learned-output-limits.json' } as const;

export type SavedLimits = LearnedLimits & { settled(): Promise<void> };

/** Limits learned from provider errors, in a small file in the home directory. It is read on first use. */
export function createLearnedLimits(options: {
  home: string;
  name: keyof typeof LIMIT_FILES;
  clock: Clock;
  logger: Logger;
}): SavedLimits {
  const { clock, logger } = options;
  const file = join(homePaths(options.home).catalogueFolder, LIMIT_FILES[options.name]);
  let known: Entries | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** Reads the file again under a lock, so that entries of other processes are preserved. */
  const save = (key: string, entry: Entry) => async () => {
    await changeFile(file, async () => {
      const entries = readEntries(file).set(key, entry);
      const newest = [...entries].sort(([, first], [, second]) => second.at - first.at).slice(0, MAX_ENTRIES);
      await writeFileAtomic(file, JSON.stringify(Object.fromEntries(newest)), { mode: 0o600 });
    });
  };

  return {
    find(owner) {
      known ??= readEntries(file);
      const entry = known.get(keyOf(owner));
      return entry !== undefined && clock.now() - entry.at < MAX_AGE_MS ? entry.tokens : undefined;
    },
    learn(owner, tokens) {
      const [key, entry] = [keyOf(owner), { tokens, at: clock.now() }];
      known = (known ?? readEntries(file)).set(key, entry);
      writing = writing.then(save(key, entry)).catch((thrown: unknown) => {
        logger.warn('could not save a learned limit of a model', { file, reason: errorMessage(thrown) });
      });
    },
    settled: () => writing,
  };
}

/** Limits that are kept in memory only, such as the output limit that an account can pay for. */
export function createTemporaryLimits(): LearnedLimits {
  const known = new Map<string, number>();
  return {
    find: (owner) => known.get(keyOf(owner)),
    learn: (owner, tokens) => void known.set(keyOf(owner), tokens),
  };
}

function keyOf({ provider, model, baseUrl }: LimitOwner): string {
  return `${provider} ${model} ${baseUrl}`;
}

/** Ignores invalid entries. */
function readEntries(file: string): Entries {
  const entries: Entries = new Map();
  const content = parseJson(readText(file));
  if (!isJsonObject(content)) return entries;
  for (const [key, value] of Object.entries(content)) {
    const { tokens, at } = isJsonObject(value) ? value : {};
    if (typeof tokens === 'number' && tokens > 0 && typeof at === 'number') entries.set(key, { tokens, at });
  }
  return entries;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
