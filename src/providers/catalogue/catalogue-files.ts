import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homePaths } from '../../config/index.ts';
import { type ProviderFile, readProviderFile } from './provider-file.ts';

/** The bundled files, relative to a bundle, to a chunk of a split bundle, and to the sources. */
const SHIPPED = ['./catalogue/', '../catalogue/', './data/'];

/** The catalogue files of a provider, newest first: the fetched one in the home directory and the bundled one. */
export function readCatalogue(provider: string, home: string | undefined): ProviderFile[] {
  // A user-defined provider can have any name, and the name becomes part of a path.
  if (!/^[a-z0-9-]{1,40}$/.test(provider)) return [];
  const fetched = home === undefined ? undefined : readCompleteFile(fetchedFile(home, provider));
  const files = [fetched, readShipped(provider)].filter((file) => file !== undefined);
  return files.toSorted((a, b) => (a.version < b.version ? 1 : -1));
}

export function fetchedFile(home: string, provider: string): string {
  return join(homePaths(home).catalogueFolder, `${provider}.tsv`);
}

/** A damaged file is ignored; the next refresh replaces it. */
export function readCompleteFile(file: string): ProviderFile | undefined {
  // Usually the file is missing, and creating an exception is expensive.
  if (!existsSync(file)) return undefined;
  try {
    // Synchronous, because the file is a few kilobytes and asynchronous reading takes several times as long.
    return readProviderFile(readFileSync(file, 'latin1'));
  } catch {
    return undefined;
  }
}

function readShipped(provider: string): ProviderFile | undefined {
  for (const folder of SHIPPED) {
    const file = readCompleteFile(fileURLToPath(new URL(`${folder}${provider}.tsv`, import.meta.url)));
    if (file !== undefined) return file;
  }
  return undefined;
}
