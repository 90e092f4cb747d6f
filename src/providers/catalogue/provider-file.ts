import { type CatalogueEntry, formatEntry, type SectionOrigin, parseEntry } from './entry-line.ts';

/**
 * The models of one provider as lines of text. A line is found by searching, so that only the needed line is parsed.
 * The file has sections, each under a line with its source; the first section with a model wins.
 */
export interface ProviderFile {
  /** The date of the newest section. */
  readonly version: string;
  readonly subscription: boolean;
  /** Finds the entry with exactly this name, ignoring case. */
  find(id: string): CatalogueEntry | undefined;
  /** Finds the entries whose name contains this text. `part` must be in lower case, with dashes instead of dots. */
  findPart(part: string): CatalogueEntry[];
  entries(): CatalogueEntry[];
}

export type Section = { origin: SectionOrigin; entries: readonly CatalogueEntry[] };

const HEAD = '#models';
const END = '#end\n';

export function formatProviderFile(sections: readonly Section[]): string {
  const parts = sections.map(({ origin, entries }) => {
    const head = [HEAD, origin.source, origin.version, origin.subscription ? 'subscription' : 'tokens'].join('\t');
    return `${[head, ...entries.map(formatEntry)].join('\n')}\n`;
  });
  return parts.join('') + END;
}

/** Undefined if the text is not such a file or is incomplete. */
export function readProviderFile(text: string): ProviderFile | undefined {
  if (!text.endsWith(END)) return undefined;
  const first = readHead(lineAt(text, 0));
  if (first === undefined) return undefined;
  const lowerCase = text.toLowerCase();
  return {
    version: first.version,
    subscription: first.subscription,
    find(id) {
      const at = lowerCase.indexOf(`\n${id.toLowerCase()}\t`);
      return at < 0 ? undefined : readEntryAt(text, at + 1);
    },
    findPart: (part) => placesOf(lowerCase.replaceAll('.', '-'), part).flatMap((at) => readEntryAt(text, at) ?? []),
    entries: () => readEntries(text),
  };
}

/** The start offsets of the lines whose first column contains this. Searching is many times faster than parsing. */
function placesOf(text: string, part: string): number[] {
  const places = new Set<number>();
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const start = text.lastIndexOf('\n', at) + 1;
    if (text.indexOf('\t', start) > at) places.add(start);
  }
  return [...places];
}

function readEntryAt(text: string, at: number): CatalogueEntry | undefined {
  const origin = readHead(lineAt(text, text.lastIndexOf(`${HEAD}\t`, at)));
  return origin && parseEntry(lineAt(text, at), origin);
}

function readEntries(text: string): CatalogueEntry[] {
  const entries: CatalogueEntry[] = [];
  let origin: SectionOrigin | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) origin = readHead(line);
    else if (origin !== undefined) entries.push(...[parseEntry(line, origin)].filter((entry) => entry !== undefined));
  }
  return entries;
}

function readHead(line: string): SectionOrigin | undefined {
  const [marker, source, version, billing] = line.split('\t');
  if (marker !== HEAD || !source || !version) return undefined;
  return { source, version, subscription: billing === 'subscription' };
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return start < 0 ? '' : text.slice(start, end < 0 ? undefined : end);
}
