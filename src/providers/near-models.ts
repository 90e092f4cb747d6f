import { nearestNames } from '../util/index.ts';

const NAMES = 3;

/** Names that were perhaps meant: a few letters away, or with what was typed as a part of them. */
export function nearModels(typed: string, names: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  const parts = names.filter((name) => name.toLowerCase().includes(wanted));
  return [...new Set([...nearestNames(typed, names, NAMES), ...parts])].slice(0, NAMES);
}

/** In capitals or not, and without what some providers let one put behind a name: `:free`, `:latest`. */
export function isListed(model: string, names: readonly string[]): boolean {
  const wanted = model.toLowerCase();
  const bare = wanted.replace(/:[\w-]+$/, '');
  return names.some((name) => [wanted, bare, `${wanted}:latest`].includes(name.toLowerCase()));
}
