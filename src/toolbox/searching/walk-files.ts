import { join } from 'node:path';
import { createIgnoreScope, type IgnoreScope } from './ignore-rules.ts';
import { type SearchScope, SKIPPED_FOLDERS } from './search-scope.ts';

/** Walks the files of a scope in the order of their names. Links are not followed, so there are no circles. */
export async function* walkFiles(scope: SearchScope): AsyncGenerator<string> {
  const { root, environment, parents } = scope;
  yield* walkFolder(root, await createIgnoreScope(root, environment, parents), scope);
}

async function* walkFolder(folder: string, outer: IgnoreScope, scope: SearchScope): AsyncGenerator<string> {
  // A folder that may not be read is no reason to give up on the others.
  const entries = await scope.environment.list(folder).catch(() => []);
  const ignore = await outer.enter(folder, new Set(entries.map(({ name }) => name)));
  for (const { name, kind } of entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))) {
    const isFolder = kind === 'directory';
    if (kind === 'other' || (!scope.hidden && name.startsWith('.'))) continue;
    if (isFolder && SKIPPED_FOLDERS.includes(name)) continue;
    const path = join(folder, name);
    if (ignore.ignores(path, isFolder)) continue;
    if (isFolder) yield* walkFolder(path, ignore, scope);
    else yield path;
  }
}
