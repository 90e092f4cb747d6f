import { pathToFileURL } from 'node:url';

/** Imports a module provided by the user. All dynamic imports of unchecked paths go through this function. */
export async function importFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
}
