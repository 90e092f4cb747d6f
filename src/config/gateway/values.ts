/** The parts of a comma-separated list, without empty ones. */
export function splitList(text: string | undefined): string[] {
  return (text ?? '').split(',').flatMap((part) => part.trim() || []);
}

/** The value of a variable such as `TELEGRAM_REQUIRE_MENTION`; undefined if it is not set or not a boolean. */
export function toBoolean(text: string | undefined): boolean | undefined {
  const word = text?.trim().toLowerCase() ?? '';
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined;
}

/** The whole number in a variable; undefined if it is not set or out of range. */
export function toNumber(text: string | undefined, range: { min: number; max?: number }): number | undefined {
  const trimmed = text?.trim() ?? '';
  const number = trimmed === '' ? Number.NaN : Number(trimmed);
  const isValid = Number.isInteger(number) && number >= range.min && number <= (range.max ?? Number.MAX_SAFE_INTEGER);
  return isValid ? number : undefined;
}
