import type { ModelFacts, TokenPrices } from '../../contracts/index.ts';

/** One model of a provider in a catalogue. */
export type CatalogueEntry = {
  id: string;
  facts: ModelFacts;
  /** Its release date, for example `2026-11-02`. */
  released?: string;
};

/** The source of the lines below and its date. */
export type SectionOrigin = { source: string; version: string; subscription: boolean };

const FLAGS = [
  ['t', 'tools'],
  ['v', 'vision'],
  ['d', 'documents'],
  ['r', 'reasoning'],
] as const;

/** Printable ASCII without the separator: anything else in a name is an error or an attack. */
const NAME = /^[!-"$-~][!-~]{0,149}$/;

export function isModelName(id: string): boolean {
  return NAME.test(id);
}

/** Formats one line without the line break: name, window, output limit, flags, price, release date, price tiers. */
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

/** Parses a line; undefined if it is invalid. An invalid field is treated as unknown. */
export function parseEntry(line: string, origin: SectionOrigin): CatalogueEntry | undefined {
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
  // If the tiers are invalid, the base price must not be used for large calls, so there is no price.
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
