import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, errorMessage, isJsonObject, type JsonValue, parseJson } from '../base/index.ts';
import { homePaths } from '../config/index.ts';
import {
  type LearnedLimits,
  type LearnedMarkers,
  type LimitOwner,
  type Logger,
  MARKER_LEVELS,
  type MarkerLevel,
} from '../contracts/index.ts';
import { changeFile, writeFileAtomic } from '../util/index.ts';

/** Maximum number of remembered models; the oldest are dropped. */
const MAX_ENTRIES = 200;
/** Entries expire, because a server may be restarted with other limits and a plan may get larger ones. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;

type Entry<Value> = { value: Value; at: number };
type Entries<Value> = Map<string, Entry<Value>>;

/** A file of learned values: its name, the field of an entry that has the value, and a check of that field. */
type LearnedFile<Value extends JsonValue> = {
  name: string;
  field: string;
  isValid(value: JsonValue | undefined): value is Value;
};

const isTokenCount = (value: JsonValue | undefined): value is number => typeof value === 'number' && value > 0;
const isMarkerLevel = (value: JsonValue | undefined): value is MarkerLevel =>
  MARKER_LEVELS.some((level) => level === value);

const LIMIT_FILES = {
  windows: { name: 'learnt-windows.json', field: 'tokens', isValid: isTokenCount },
  outputLimits: { name: 'learned-output-limits.json', field: 'tokens', isValid: isTokenCount },
} as const;
const MARKER_FILE = { name: 'learned-cache-markers.json', field: 'level', isValid: isMarkerLevel } as const;

type Learned<Value> = {
  find(owner: LimitOwner): Value | undefined;
  learn(owner: LimitOwner, value: Value): void;
  settled(): Promise<void>;
};

export type SavedLimits = LearnedLimits & { settled(): Promise<void> };
export type SavedMarkers = LearnedMarkers & { settled(): Promise<void> };

type FileOptions = { home: string; clock: Clock; logger: Logger };

/** Limits learned from provider errors. */
export function createLearnedLimits(options: FileOptions & { name: keyof typeof LIMIT_FILES }): SavedLimits {
  return createLearnedFile(options, LIMIT_FILES[options.name]);
}

/** The cache markers that endpoints support, learned from refusals and from usage. */
export function createLearnedMarkers(options: FileOptions): SavedMarkers {
  return createLearnedFile(options, MARKER_FILE);
}

/** Values by model and endpoint, in a small file in the home directory. It is read on first use. */
function createLearnedFile<Value extends JsonValue>(
  { home, clock, logger }: FileOptions,
  format: LearnedFile<Value>,
): Learned<Value> {
  const file = join(homePaths(home).catalogueFolder, format.name);
  let known: Entries<Value> | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** Reads the file again under a lock, so that entries of other processes are preserved. */
  const save = (key: string, entry: Entry<Value>) => async () => {
    await changeFile(file, async () => {
      const entries = readEntries(file, format).set(key, entry);
      const newest = [...entries].sort(([, first], [, second]) => second.at - first.at).slice(0, MAX_ENTRIES);
      const written = newest.map(([name, { value, at }]) => [name, { [format.field]: value, at }]);
      await writeFileAtomic(file, JSON.stringify(Object.fromEntries(written)), { mode: 0o600 });
    });
  };

  return {
    find(owner) {
      known ??= readEntries(file, format);
      const entry = known.get(keyOf(owner));
      return entry !== undefined && clock.now() - entry.at < MAX_AGE_MS ? entry.value : undefined;
    },
    learn(owner, value) {
      const [key, entry] = [keyOf(owner), { value, at: clock.now() }];
      known = (known ?? readEntries(file, format)).set(key, entry);
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
function readEntries<Value extends JsonValue>(file: string, { field, isValid }: LearnedFile<Value>): Entries<Value> {
  const entries: Entries<Value> = new Map();
  const content = parseJson(readText(file));
  if (!isJsonObject(content)) return entries;
  for (const [key, entry] of Object.entries(content)) {
    const { [field]: value, at } = isJsonObject(entry) ? entry : {};
    if (isValid(value) && typeof at === 'number') entries.set(key, { value, at });
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
