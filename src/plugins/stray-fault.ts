import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from '../util/index.ts';

type Placed = { name: string; folder: string };

/**
 * Whose code threw something that nobody waits for: the first plugin that its steps lead to before any code of ours.
 * Undefined where there is none, or it cannot be told.
 */
export function ownerOfFault(thrown: unknown, plugins: readonly Placed[]): string | undefined {
  for (const file of placesIn(thrown instanceof Error ? (thrown.stack ?? '') : '')) {
    if (isInside(import.meta.dirname, file)) return undefined;
    const owner = plugins.find(({ folder }) => [folder, realPathOf(folder)].some((place) => isInside(place, file)));
    if (owner !== undefined) return owner.name;
  }
  return undefined;
}

/** Node loads modules from where links lead. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The files of a stack, in its order: `at name (PLACE:1:2)` or `at PLACE:1:2`. */
function placesIn(stack: string): string[] {
  return [...stack.matchAll(/^ {4}at (?:.*\()?(?<place>[^()]+?)(?::\d+){1,2}\)?$/gm)].flatMap(({ groups }) => {
    const place = groups?.['place']?.replace(/^async /, '') ?? '';
    const path = place.startsWith('file:') ? toPath(place) : place;
    // What is Node's own has no path.
    return isAbsolute(path) ? [path] : [];
  });
}

function toPath(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    return address;
  }
}
