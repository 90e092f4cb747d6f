import type { ModelFacts, TokenPrices } from '../../contracts/index.ts';

/** One model of a provider, as a catalogue knows it. */
export type CatalogueEntry = {
  id: string;
  facts: ModelFacts;
  /** The day it came out, `2026-11-02`. */
  released?: string;
};

/** Who says what the lines below it say, and when they said it. */
export type Origin = { source: string; version: string; subscription: boolean };

const FLAGS = [
  ['t', 'tools'],
  ['v', 'vision'],
  ['d', 'documents'],
  ['r', 'reasoning'],
] as const;

/** Printable ASCII without the separator: anything else in a name is a fault, or an attempt. */
const NAME = /^[!-"$-~][!-~]{0,149}$/;

export function isModelName(id: string): boolean {
  return NAME.test(id);
}

/** One line without its end: name, window, output limit, flags, price, release, and the prices of larger calls. */
export function formatEntry({ id, facts, released }: CatalogueEntry): string {
  const { contextLength, outputLimit, price } = facts;
  const flags = FLAGS.map(([letter, key]) =>
    facts[key] === undefined ? '' : facts[key] ? letter.toUpperCase() : letter,
  );
  const tiers = (price?.tiers ?? []).map((tier) => `${tier.above}>${formatPrices(tier)}`);
  const columns = [
    id,
    contextLength ?? '',
    outputLimit ?? '',
    flags.join(''),
    price ? formatPrices(price) : '',
    released ?? '',
    ...tiers,
  ];
  return columns.join('\t').trimEnd();
}

/** Reads a line; undefined where it is not one. A part that makes no sense is unknown. */
export function parseEntry(line: string, origin: Origin): CatalogueEntry | undefined {
  const [id = '', window, output, flags = '', price = '', released, ...tiers] = line.split('\t');
  if (!isModelName(id)) return undefined;
  const facts: ModelFacts = {};
  const contextLength = readCount(window);
  const outputLimit = readCount(output);
  if (contextLength !== undefined) facts.contextLength = contextLength;
  if (outputLimit !== undefined) facts.outputLimit = outputLimit;
  for (const [letter, key] of FLAGS) {
    if (flags.includes(letter.toUpperCase())) facts[key] = true;
    else if (flags.includes(letter)) facts[key] = false;
  }
  if (origin.subscription) facts.subscription = true;
  const prices = readPrices(price);
  const larger = tiers.map(readTier);
  // Where the price of larger calls cannot be read, that of the small ones would pass for it.
  if (prices !== undefined && larger.every((tier) => tier !== undefined)) {
    const { source, version } = origin;
    facts.price = { ...prices, ...(larger.length === 0 ? {} : { tiers: larger }), source, version };
  }
  return released ? { id, facts, released } : { id, facts };
}

function formatPrices({ input, output, cacheRead, cacheWrite }: TokenPrices): string {
  return [input, output, cacheRead ?? '', cacheWrite ?? ''].join('/').replace(/\/+$/, '');
}

function readPrices(text: string): TokenPrices | undefined {
  const [input, output, cacheRead, cacheWrite] = text.split('/').map(readPrice);
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

function readTier(column: string): (TokenPrices & { above: number }) | undefined {
  const [limit, text = ''] = column.split('>');
  const [above, prices] = [readCount(limit), readPrices(text)];
  return above === undefined || prices === undefined ? undefined : { above, ...prices };
}

function readPrice(text: string): number | undefined {
  return /^\d{1,6}(?:\.\d{1,12})?(?:e-\d{1,2})?$/.test(text) ? Number(text) : undefined;
}

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
