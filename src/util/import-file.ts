import { pathToFileURL } from 'node:url';

/** Loads a module that the person brought. The one place where a path is imported that nothing here can check. */
export async function importFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
}
