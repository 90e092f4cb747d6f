import type { JsonObject } from '../base/index.ts';

const MAX_FILES = 8;

/** The paths of the files that a call of an editing tool wrote, as they are in its arguments. */
export function editedPaths({ path, patch }: JsonObject): string[] {
  const named = typeof path === 'string' && path !== '' ? [path] : [];
  const patched = typeof patch === 'string' ? pathsIn(patch) : [];
  return [...new Set([...named, ...patched])].slice(0, MAX_FILES);
}

function pathsIn(patch: string): string[] {
  const headers =
    /^(?:\*\*\* (?:Update|Add) File: (.+)|\*\*\* Move (?:File: .+ -> |to: )(.+)|\+\+\+ (?:b\/)?([^\t\n]+).*)$/gm;
  return [...patch.matchAll(headers)]
    .map(([, written, moved, unified]) => (written ?? moved ?? unified ?? '').trim())
    .filter((path) => path !== '' && path !== '/dev/null');
}
