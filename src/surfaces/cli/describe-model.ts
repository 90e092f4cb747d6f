import type { ModelFacts } from '../../contracts/index.ts';

/** What a person wants to know of a model before choosing it: `1M context, $2 in, $10 out per million`. */
export function describeModel({ contextLength, price, subscription }: ModelFacts): string | undefined {
  const parts = [
    ...(contextLength === undefined ? [] : [`${formatCount(contextLength)} context`]),
    ...(subscription ? ['in the subscription'] : []),
    ...(price === undefined ? [] : [price.input + price.output === 0 ? 'free' : formatPrice(price)]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

function formatPrice({ input, output }: { input: number; output: number }): string {
  return `$${input} in, $${output} out per million`;
}

/** 131,072 and 128,000 are both known as 128K to somebody; the nearest round figure is enough. */
function formatCount(tokens: number): string {
  return tokens >= 1_000_000 ? `${Number((tokens / 1_000_000).toFixed(1))}M` : `${Math.round(tokens / 1000)}K`;
}
