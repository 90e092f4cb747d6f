import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { textSum } from '../util/index.ts';
import type { Finding, ScanScope } from './finding.ts';

/** Looks at each text by itself; the findings of the first come first. */
export type TextScan = (texts: readonly string[], scope: ScanScope) => Promise<Finding[][]>;

export type KnownTextsOptions = {
  scan(text: string, scope: ScanScope): Promise<Finding[]>;
  /** Where texts are kept, for their owner only. The folder above it has to be there. */
  folder: string;
  /** Differs where the rules do. Undefined: nothing is kept. */
  rules: string | undefined;
};

/** The number of files there can ever be: a text that finds its place taken goes there instead of the other. */
const PLACES = 128;
const LONGEST = 100_000;

/**
 * A scan that does not look again at texts in which the same rules found nothing. The texts themselves are kept, and
 * compared as they are: whoever writes a project's files could make two of them meet in a weak sum, and a strong one
 * takes longer to load than the comparison.
 */
export function createTextScan({ scan, folder, rules }: KnownTextsOptions): TextScan {
  return async (texts, scope) => {
    const entry = rules === undefined ? undefined : JSON.stringify([rules, scope, ...texts]);
    const file =
      entry === undefined || entry.length > LONGEST ? undefined : join(folder, `${textSum(entry) % PLACES}.json`);
    if (file !== undefined && readText(file) === entry) return texts.map(() => []);
    const findings = await Promise.all(texts.map((text) => scan(text, scope)));
    const isClean = findings.every((found) => found.length === 0);
    if (isClean && file !== undefined && entry !== undefined) keep(file, entry);
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

/** In one step, because other processes read it. What cannot be kept is looked at again. */
function keep(file: string, entry: string): void {
  const temporary = `${file}.${process.pid}`;
  try {
    // Only this folder: a home is not made by looking at a prompt.
    mkdirSync(dirname(file), { mode: 0o700 });
  } catch {
    // It is there, or it cannot be.
  }
  try {
    writeFileSync(temporary, entry, { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
