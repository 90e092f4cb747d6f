import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../../util/index.ts';
import { findReferences } from './find-references.ts';
import { isPrivate } from './private-files.ts';
import { type ContextFile, readContextFile, type ReadContextFileOptions } from './read-context-file.ts';

export type ImportOptions = Omit<ReadContextFileOptions, 'displayName' | 'limit'> & {
  /** Names in texts for the model are relative to this directory. */
  directory: string;
  /** Characters that the importing file and its imports may have together. */
  limit: number;
  /** Real paths of files that are not imported again; those of the imported files are added. */
  known: Set<string>;
};

const MAX_DEPTH = 5;
const MAX_IMPORTS = 30;
/** Less of a file is not worth reading. */
const MIN_CHARACTERS = 200;

/**
 * Reads the files that a context file imports with `@path`, and those that they import, in the order of the
 * references. Paths are relative to the importing file. Only files of the project are imported, each of them once.
 */
export async function followImports(file: ContextFile, options: ImportOptions): Promise<ContextFile[]> {
  const { files, known, directory, limit, warn } = options;
  const realRoot = await files.resolvePath(options.root);
  const imported: ContextFile[] = [];
  let left = limit - file.text.length;

  function findProblem(real: string, depth: number): string | undefined {
    if (!isInside(realRoot, real)) return `it is outside the project ${options.root}`;
    if (isPrivate(real, realRoot)) return 'it may contain credentials or belongs to Git';
    if (depth > MAX_DEPTH) return `imports are followed at most ${MAX_DEPTH} levels deep`;
    if (imported.length >= MAX_IMPORTS) return `a context file can import at most ${MAX_IMPORTS} files`;
    return left < MIN_CHARACTERS ? `the limit of ${limit} characters is used up` : undefined;
  }

  async function follow(importer: ContextFile, depth: number): Promise<void> {
    for (const reference of findReferences(importer.text)) {
      const path = pathOf(reference, importer.path);
      const real = await findFile(path, files);
      if (real === undefined || known.has(real)) continue;
      known.add(real);
      const problem = findProblem(real, depth);
      if (problem !== undefined) {
        warn(`${path}, imported by ${importer.path}, was not added to the prompt: ${problem}.`);
        continue;
      }
      const displayName = relative(directory, path);
      const found = await readContextFile(path, { ...options, limit: left, displayName, dropFrontMatter: false });
      if (found === undefined || found.text.length > left) continue;
      left -= found.text.length;
      const named = { ...found, importedBy: relative(directory, importer.path) };
      imported.push(named);
      if (!named.blocked) await follow(named, depth + 1);
    }
  }

  known.add(await files.resolvePath(file.path));
  await follow(file, 1);
  return imported;
}

function pathOf(reference: string, importer: string): string {
  return reference.startsWith('~/') ? join(homedir(), reference.slice(2)) : resolve(dirname(importer), reference);
}

/** The real path of a regular file; undefined for anything else, because most words with an @ are no paths. */
async function findFile(path: string, files: ImportOptions['files']): Promise<string | undefined> {
  const found = await files.stat(path).catch(() => undefined);
  return found?.kind === 'file' ? files.resolvePath(path) : undefined;
}
