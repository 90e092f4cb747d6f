import { HermesError } from '../base/index.ts';

/** Why a plugin or a part of it is not used, where, and what to do about it. */
export type PluginFault = {
  /** The name of the plugin if known, or else that of its folder. */
  plugin: string;
  place: string;
  reason: string;
  hint?: string | undefined;
};

/** A plugin that cannot be used and is skipped. */
export class BadPlugin extends HermesError {}

export function describeFault({ plugin, place, reason, hint }: PluginFault): string {
  return `Plugin ${plugin} (${place}): ${reason}.${hint === undefined ? '' : ` ${hint}`}`;
}
