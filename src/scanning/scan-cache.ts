import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashText } from '../util/index.ts';
import type { DoubtfulPassage, Finding, Inspection, ScanScope } from './finding.ts';

/** Scans each text separately and returns the findings in the same order. */
export type TextScan = (texts: readonly string[], scope: ScanScope) => Promise<Finding[][]>;

/**
 * Asks a model which of these passages are attacks. Returns their indexes, or undefined if no model answered. A passage
 * is data for the model, never an instruction.
 */
export type PassageReview = (passages: readonly string[]) => Promise<readonly number[] | undefined>;

export type CachedScanOptions = {
  scan(text: string, scope: ScanScope): Promise<Inspection>;
  /** Decides about doubtful passages. Without it they are no findings. */
  review?: PassageReview | undefined;
  /** The cache folder, readable only by its owner. Its parent folder must exist. */
  folder: string;
  /** A digest of the rules. If undefined, nothing is cached. */
  rules: string | undefined;
};

/** The maximum number of cache files. On a collision the newer text replaces the older one. */
const MAX_CACHE_FILES = 128;
const MAX_ENTRY_LENGTH = 100_000;

/**
 * A scan that skips texts in which the same rules found nothing before, and no model did if one reviews them. The cache stores the full texts and compares
 * them: the author of a project file could construct a collision of a weak hash, and loading a strong hash takes
 * longer than the comparison.
 */
export function createCachedScan({ scan, review, folder, rules }: CachedScanOptions): TextScan {
  return async (texts, scope) => {
    const isReviewed = review !== undefined;
    const entry = rules === undefined ? undefined : JSON.stringify([rules, isReviewed, scope, ...texts]);
    const file =
      entry === undefined || entry.length > MAX_ENTRY_LENGTH
        ? undefined
        : join(folder, `${hashText(entry) % MAX_CACHE_FILES}.json`);
    if (file !== undefined && readText(file) === entry) return texts.map(() => []);
    const inspections = await Promise.all(texts.map((text) => scan(text, scope)));
    const decided = await decide(inspections, review);
    const isClean = decided?.every((found) => found.length === 0) === true;
    if (isClean && file !== undefined && entry !== undefined) writeEntry(file, entry);
    return decided ?? inspections.map(({ findings }) => findings);
  };
}

/** Adds the doubtful passages that a model takes for attacks; undefined if it had to decide and did not answer. */
async function decide(
  inspections: readonly Inspection[],
  review: PassageReview | undefined,
): Promise<Finding[][] | undefined> {
  // A text with findings is blocked anyway.
  const open = inspections.flatMap(({ findings, doubtful }) => (findings.length > 0 ? [] : doubtful));
  if (review === undefined || open.length === 0) return inspections.map(({ findings }) => findings);
  const answer = await review(open.map(({ text }) => text));
  if (answer === undefined) return undefined;
  const attacks = new Set<DoubtfulPassage | undefined>(answer.map((index) => open[index]));
  return inspections.map(({ findings, doubtful }) => [
    ...findings,
    ...doubtful.filter((passage) => attacks.has(passage)).map(({ finding }) => finding),
  ]);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Written atomically, because other processes read it. On failure the text is scanned again next time. */
function writeEntry(file: string, entry: string): void {
  const temporary = `${file}.${process.pid}`;
  try {
    // Not recursive: scanning a prompt must not create the home directory.
    mkdirSync(dirname(file), { mode: 0o700 });
  } catch {
    // The folder already exists or cannot be created.
  }
  try {
    writeFileSync(temporary, entry, { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
