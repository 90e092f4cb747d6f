import { InvalidArgumentError } from 'commander';

/** `a,b` as a list; a flag that is given twice adds to it. */
export function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('It must be at least one name.');
  return [...before, ...names];
}
