import { billFor } from './economy/bill.ts';
import type { RecordedCall } from './economy/record.ts';
import { recordVariant } from './turns/record.ts';
import { VARIANTS } from './turns/script.ts';

/** Tokens in thousands of all prompts together, and of the last one. */
function tokensOf(calls: readonly RecordedCall[]): { all: number; last: number } {
  const sizes = calls.map(({ prompt }) => prompt.parts.reduce((sum, { block }) => sum + block.tokens, 0));
  return { all: sizes.reduce((sum, size) => sum + size, 0), last: sizes.at(-1) ?? 0 };
}

const thousands = (tokens: number) => `${Math.round(tokens / 1000).toLocaleString('en')}k`;
const change = (now: number, before: number) => `${Math.round((now / before - 1) * 100)} %`.replace('-', '−');

async function main(): Promise<void> {
  const rows = [
    '| session of 12 tasks | calls | prompt tokens, all calls | last prompt | cost | change |',
    '|---|---:|---:|---:|---:|---:|',
  ];
  let first: number | undefined;
  for (const variant of VARIANTS) {
    const calls = await recordVariant(variant);
    const { usd } = billFor(calls);
    const { all, last } = tokensOf(calls);
    const compared = first === undefined ? '' : change(usd, first);
    first ??= usd;
    rows.push(
      `| ${variant.label} | ${calls.length} | ${thousands(all)} | ${thousands(last)} | $${usd.toFixed(2)} | ${compared} |`,
    );
    process.stderr.write(`${variant.label}: done\n`);
  }
  console.log(rows.join('\n'));
}

await main();
