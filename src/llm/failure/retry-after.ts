type Headers = Readonly<Record<string, string | undefined>>;

/** The retry delay from the headers: milliseconds, seconds or a date. */
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

/** The retry delay from the message: "try again in 1m30s", "retry after 20 seconds". */
export function parseRetryAfter(message: string): number | undefined {
  const words = /(?:try again|retry|reset|resets)(?: in| after) ((?:\d+(?:\.\d+)? ?(?:ms|s|m|h)[a-z]*[ ,]*)+)/i.exec(
    message,
  )?.[1];
  return words === undefined ? undefined : sumOf(words);
}

/** A duration without other text: "6m0s", "120ms". */
function durationInWords(text: string): number | undefined {
  return /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text) ? sumOf(text) : undefined;
}

function sumOf(words: string): number {
  let total = 0;
  for (const [, amount, unit] of words.matchAll(/(\d+(?:\.\d+)?) ?(ms|s|m|h|d)[a-z]*/gi)) {
    total += Number(amount) * (UNIT_MS[(unit ?? '').toLowerCase()] ?? 0);
  }
  return Math.round(total);
}

/** Only plain decimal numbers: Number() would also accept whitespace and hexadecimal. */
function positive(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+(\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}

/** The largest plausible reset time: longer than any rate limit, so a larger value means something else. */
const MAX_RESET_MS = 31 * 24 * 3_600_000;

/**
 * The reset time of a rate limit, for providers without a Retry-After header. If several limits are reported, those
 * with nothing remaining count, or else all of them.
 */
export function resetOf(headers: Headers, now: number): number | undefined {
  const limits = Object.entries(headers).flatMap(([name, value]) => {
    const left = remainingName(name);
    const resetMs = left === undefined || value === undefined ? undefined : readReset(value, now);
    return left === undefined || resetMs === undefined ? [] : [{ resetMs, usedUp: headers[left]?.trim() === '0' }];
  });
  const usedUp = limits.filter((limit) => limit.usedUp);
  const counting = usedUp.length > 0 ? usedUp : limits;
  return counting.length === 0 ? undefined : Math.max(...counting.map(({ resetMs }) => resetMs));
}

/** The header with the remaining amount that belongs to a reset header; undefined for any other header. */
function remainingName(name: string): string | undefined {
  // OpenAI `x-ratelimit-reset-tokens`, OpenRouter `x-ratelimit-reset`, Anthropic `anthropic-ratelimit-tokens-reset`.
  if (/^x-ratelimit-reset(?:-\w+)?$/.test(name)) return name.replace('reset', 'remaining');
  if (/^anthropic-ratelimit-[\w-]+-reset$/.test(name)) return name.replace(/reset$/, 'remaining');
  return undefined;
}

/**
 * A duration such as 6m0s, a date, or a Unix time in seconds or milliseconds; a small number means seconds from now.
 */
function readReset(value: string, now: number): number | undefined {
  const text = value.trim();
  const isFigure = /^\d+(?:\.\d+)?$/.test(text);
  const resetMs = isFigure ? fromFigure(Number(text), now) : (durationInWords(text) ?? fromDate(text, now));
  if (resetMs === undefined || resetMs > MAX_RESET_MS) return undefined;
  return Math.max(0, Math.round(resetMs));
}

function fromFigure(figure: number, now: number): number {
  if (figure > 1e11) return figure - now;
  return figure > 1e9 ? figure * 1000 - now : figure * 1000;
}

function fromDate(text: string, now: number): number | undefined {
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}
