import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { HermesError } from '../../base/index.ts';
import { expandTilde } from '../places.ts';
import type { SkillCatalogue } from './catalogue.ts';
import { findListings } from './find-listings.ts';
import { searchFolder } from './folder-catalogue.ts';
import { parseIndex } from './parse-index.ts';

/** How an index is fetched; whoever opens the hub brings it, with its checks of addresses. */
export type FetchIndex = (
  url: string,
  options: { signal: AbortSignal; maxBytes: number },
) => Promise<{ status: number; body: Uint8Array; cut: boolean }>;

const MOST_BYTES = 8 * 1024 * 1024;
const OWN_MACHINE = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\//;

/** An index at an address. */
export function createUrlCatalogue(url: string, fetchIndex: FetchIndex): SkillCatalogue {
  return {
    name: withoutSecrets(url),
    async search(words, signal) {
      if (!url.startsWith('https://') && !OWN_MACHINE.test(url))
        throw new HermesError('its address is not encrypted', { hint: 'Write it with https:// in skills.indexes.' });
      const { status, body, cut } = await fetchIndex(url, { signal, maxBytes: MOST_BYTES });
      if (status !== 200)
        throw new HermesError(`it answered with ${status}`, { hint: 'Check the address in skills.indexes.' });
      if (cut) throw tooLarge();
      return findListings(parseIndex(new TextDecoder().decode(body)), words);
    },
  };
}

/** A password or token may stand before the host, or behind the path. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return 'an address in skills.indexes';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** An index in a file, or the skills of a folder. */
export function createFileCatalogue(written: string, home: string): SkillCatalogue {
  const path = resolve(home, expandTilde(written));
  return {
    name: written,
    async search(words) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory()) return searchFolder(path, words);
      if (!stats?.isFile())
        throw new HermesError(`there is no file or folder ${path}`, { hint: 'Check skills.indexes in config.yaml.' });
      if (stats.size > MOST_BYTES) throw tooLarge();
      return findListings(parseIndex(readFileSync(path, 'utf8')), words);
    },
  };
}

function tooLarge(): HermesError {
  return new HermesError(`it has more than ${MOST_BYTES / 1024 / 1024} MB`, { hint: 'Divide it into smaller ones.' });
}
