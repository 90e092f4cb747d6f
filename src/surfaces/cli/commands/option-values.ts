import { joinWithOr } from '../../../util/index.ts';
import { InvalidValue } from './cli-command.ts';

export function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidValue('a whole number of at least 1');
}

export function parseAmount(text: string): number {
  const amount = Number(text);
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidValue('a number above 0');
}

/** Parses a comma-separated list. Repeating the option adds to the list. */
export function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InvalidValue('at least one name');
  return [...before, ...names];
}

/** Collects the values of a repeatable option. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

export function parseTag(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(text)) return text;
  throw new InvalidValue('at most 40 letters, digits, ".", "_" and "-", beginning with a letter or digit');
}

/** Accepts one of several words. */
export function parseChoice(choices: readonly string[]): (text: string) => string {
  return (text) => {
    if (choices.includes(text)) return text;
    throw new InvalidValue(joinWithOr(choices));
  };
}
