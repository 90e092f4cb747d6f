import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../../../util/index.ts';

/** The index of every prompt of a run, stable across restarts. */
export interface PromptIndex {
  indexOf(key: string): number | undefined;
  /** How many prompts were removed from the input, and how many were added, since the last invocation. */
  readonly removed: number;
  readonly added: number;
}

/**
 * Prompts keep their index even if the input changes; new ones get the next indexes. So the index of a result
 * identifies its prompt, and the results alone determine which prompts are done.
 */
export async function openPromptIndex(file: string, keys: readonly string[]): Promise<PromptIndex> {
  const known = await readKeys(file);
  const indexes = new Map(known.map((key, index) => [key, index]));
  const present = keys.filter((key) => indexes.has(key)).length;
  for (const key of keys) if (!indexes.has(key)) indexes.set(key, indexes.size);
  const added = indexes.size - known.length;
  if (added > 0) await writeFileAtomic(file, `${[...indexes.keys()].join('\n')}\n`);
  return { indexOf: (key) => indexes.get(key), removed: known.length - present, added: known.length === 0 ? 0 : added };
}

async function readKeys(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n').filter((key) => key !== '');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}
