declare const HERMES_VERSION: string | undefined;

/** Written in by the build; the sources on their own have none, and fit every plugin. */
export const HOST_VERSION = typeof HERMES_VERSION === 'string' ? HERMES_VERSION : undefined;

const WANTED = /^(?:>=\s*)?v?(\d{1,9}(?:\.\d{1,9}){0,2})$/;

/** The least version in a text such as `>=0.2.0`; undefined where it is no such text. */
export function leastVersion(wanted: string): string | undefined {
  return WANTED.exec(wanted.trim())?.[1];
}

/** Whether a version is at least another; what stands behind a hyphen does not count. */
export function isAtLeast(version: string, least: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(least)];
  for (const [place, number] of own.entries()) {
    const difference = number - (other[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): number[] {
  const [plain = ''] = version.split(/[-+]/, 1);
  const numbers = plain.split('.').map(Number);
  return [0, 1, 2].map((place) => numbers[place] ?? 0);
}
