import type { ModelFacts } from '../contracts/index.ts';
import { withoutUndefined } from '../util/index.ts';
import type { FactsEntry } from './schema.ts';
import type { FactsByModel } from './settings.ts';

/** Facts about models as they stand in a file; undefined where there are none. */
export function readFacts(entries: Readonly<Record<string, FactsEntry>> | undefined): FactsByModel | undefined {
  if (entries === undefined || Object.keys(entries).length === 0) return undefined;
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, toFacts(entry)]));
}

function toFacts({ context_length, output_limit, price, vision, documents, tools, reasoning }: FactsEntry): ModelFacts {
  // What is not written must not hide what others know.
  return withoutUndefined({
    ...{ contextLength: context_length, outputLimit: output_limit, vision, documents, tools, reasoning },
    price: price && {
      ...{ input: price.input, output: price.output, cacheRead: price.cache_read, cacheWrite: price.cache_write },
      ...{ source: 'config.yaml', version: 'set by hand' },
    },
  });
}
