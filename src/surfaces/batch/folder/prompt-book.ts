import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../../../util/index.ts';

/** Which number each prompt of a run has, over all its starts. */
export interface PromptBook {
  indexOf(key: string): number | undefined;
  /** How many prompts of the run are no longer in the input, and how many came since the last start. */
  readonly gone: number;
  readonly added: number;
}

/**
 * Prompts keep the number they once had, whatever happened to the file since; new ones get the next numbers. So the
 * number of a line says which prompt it answers, and which prompts are done is known from the lines alone.
 */
export async function openPromptBook(file: string, keys: readonly string[]): Promise<PromptBook> {
  const known = await readKeys(file);
  const indexes = new Map(known.map((key, index) => [key, index]));
  const present = keys.filter((key) => indexes.has(key)).length;
  for (const key of keys) if (!indexes.has(key)) indexes.set(key, indexes.size);
  const added = indexes.size - known.length;
  if (added > 0) await writeFileAtomic(file, `${[...indexes.keys()].join('\n')}\n`);
  return { indexOf: (key) => indexes.get(key), gone: known.length - present, added: known.length === 0 ? 0 : added };
}

async function readKeys(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n').filter((key) => key !== '');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}
