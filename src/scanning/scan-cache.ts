import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashText } from '../util/index.ts';
import type { Finding, ScanScope } from './finding.ts';

/** Scans each text separately and returns the findings in the same order. */
export type TextScan = (texts: readonly string[], scope: ScanScope) => Promise<Finding[][]>;

export type CachedScanOptions = {
  scan(text: string, scope: ScanScope): Promise<Finding[]>;
  /** The cache folder, readable only by its owner. Its parent folder must exist. */
  folder: string;
  /** A digest of the rules. If undefined, nothing is cached. */
  rules: string | undefined;
};

/** The maximum number of cache files. On a collision the newer text replaces the older one. */
const MAX_CACHE_FILES = 128;
const MAX_ENTRY_LENGTH = 100_000;

/**
 * A scan that skips texts in which the same rules found nothing before. The cache stores the full texts and compares
 * them: the author of a project file could construct a collision of a weak hash, and loading a strong hash takes
 * longer than the comparison.
 */
export function createCachedScan({ scan, folder, rules }: CachedScanOptions): TextScan {
  return async (texts, scope) => {
    const entry = rules === undefined ? undefined : JSON.stringify([rules, scope, ...texts]);
    const file =
      entry === undefined || entry.length > MAX_ENTRY_LENGTH
        ? undefined
        : join(folder, `${hashText(entry) % MAX_CACHE_FILES}.json`);
    if (file !== undefined && readText(file) === entry) return texts.map(() => []);
    const findings = await Promise.all(texts.map((text) => scan(text, scope)));
    const isClean = findings.every((found) => found.length === 0);
    if (isClean && file !== undefined && entry !== undefined) writeEntry(file, entry);
    return findings;
  };
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
