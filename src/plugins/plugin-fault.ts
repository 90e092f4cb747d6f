import { HermesError } from '../base/index.ts';

/** Why a plugin, or something of it, is not used: what, where, and what to do next. */
export type PluginFault = {
  /** The name as far as it is known, else that of its folder. */
  plugin: string;
  place: string;
  reason: string;
  hint?: string | undefined;
};

/** Something is wrong with a plugin; the plugin is left out. */
export class BadPlugin extends HermesError {}

export function describeFault({ plugin, place, reason, hint }: PluginFault): string {
  return `The plugin ${plugin} (${place}): ${reason}.${hint === undefined ? '' : ` ${hint}`}`;
}
