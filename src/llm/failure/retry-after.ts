type Headers = Readonly<Record<string, string | undefined>>;

/** How long the provider asks us to wait, from its headers: milliseconds, seconds, or a date. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const milliseconds = positive(headers['retry-after-ms']);
  if (milliseconds !== undefined) return Math.round(milliseconds);
  const value = headers['retry-after']?.trim();
  const seconds = positive(value);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const date = value ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The same from the message: "try again in 1m30s", "retry after 20 seconds". */
export function retryAfterInWords(message: string): number | undefined {
  const words = /(?:try again|retry|reset|resets)(?: in| after) ((?:\d+(?:\.\d+)? ?(?:ms|s|m|h)[a-z]*[ ,]*)+)/i.exec(
    message,
  )?.[1];
  return words === undefined ? undefined : sumOf(words);
}

/** A duration alone: "6m0s", "120ms". */
export function durationInWords(text: string): number | undefined {
  return /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text) ? sumOf(text) : undefined;
}

function sumOf(words: string): number {
  let total = 0;
  for (const [, amount, unit] of words.matchAll(/(\d+(?:\.\d+)?) ?(ms|s|m|h|d)[a-z]*/gi)) {
    total += Number(amount) * (UNIT_MS[(unit ?? '').toLowerCase()] ?? 0);
  }
  return Math.round(total);
}

/** Only plain figures: Number() would also take blanks, hexadecimal and the like. */
function positive(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+(\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}
