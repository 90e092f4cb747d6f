import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homePaths } from '../../config/index.ts';
import { type ProviderFile, readProviderFile } from './provider-file.ts';

/** Where the shipped files are, seen from a bundle, from a piece of a split bundle, and from the sources. */
const SHIPPED = ['./catalogue/', '../catalogue/', './data/'];

/** What is known of a provider's models, newest first: what was fetched into the home, and what was shipped. */
export function readCatalogue(provider: string, home: string | undefined): ProviderFile[] {
  // A provider the person named can have any name, and it becomes a part of a path.
  if (!/^[a-z0-9-]{1,40}$/.test(provider)) return [];
  const fetched = home === undefined ? undefined : readWhole(fetchedFile(home, provider));
  const files = [fetched, readShipped(provider)].filter((file) => file !== undefined);
  return files.toSorted((a, b) => (a.version < b.version ? 1 : -1));
}

export function fetchedFile(home: string, provider: string): string {
  return join(homePaths(home).catalogueFolder, `${provider}.tsv`);
}

/** A damaged file is as good as none; the next refresh writes it anew. */
export function readWhole(file: string): ProviderFile | undefined {
  // Mostly there is none, and an error about it is dear.
  if (!existsSync(file)) return undefined;
  try {
    // Of a few kilobytes, and needed at once: reading it asynchronously takes several times as long.
    return readProviderFile(readFileSync(file, 'latin1'));
  } catch {
    return undefined;
  }
}

function readShipped(provider: string): ProviderFile | undefined {
  for (const folder of SHIPPED) {
    const file = readWhole(fileURLToPath(new URL(`${folder}${provider}.tsv`, import.meta.url)));
    if (file !== undefined) return file;
  }
  return undefined;
}
