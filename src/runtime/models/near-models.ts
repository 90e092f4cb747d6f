import { nearestNames } from '../../util/index.ts';

const NAMES = 3;

/** Names that were perhaps meant: a few letters away, or with what was typed as a part of them. */
export function nearModels(typed: string, names: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  const parts = names.filter((name) => name.toLowerCase().includes(wanted));
  return [...new Set([...nearestNames(typed, names, NAMES), ...parts])].slice(0, NAMES);
}
