import type { KeyPath } from './schema-keys.ts';

/** A key as older files have it, and where it belongs now. */
export type OldName = { from: KeyPath; to: KeyPath };

/** Only keys whose value means the same in the new place. Where both are there, the new one counts. */
export const OLD_NAMES: readonly OldName[] = [
  { from: ['max_turns'], to: ['agent', 'max_turns'] },
  { from: ['provider'], to: ['model', 'provider'] },
  { from: ['base_url'], to: ['model', 'base_url'] },
  { from: ['model', 'model'], to: ['model', 'default'] },
  { from: ['compression', 'summary_provider'], to: ['auxiliary', 'compression', 'provider'] },
  { from: ['compression', 'summary_model'], to: ['auxiliary', 'compression', 'model'] },
  { from: ['compression', 'summary_base_url'], to: ['auxiliary', 'compression', 'base_url'] },
];

/** Keys at the top that say something about the file itself. */
export const ABOUT_THE_FILE: readonly string[] = ['_config_version'];

export function findOldName(path: KeyPath): OldName | undefined {
  return OLD_NAMES.find(({ from }) => from.length === path.length && from.every((part, at) => part === path[at]));
}
