import { HermesError } from '../base/index.ts';

/** Why a plugin or a part of it is not used, where, and what to do about it. */
export type PluginFault = {
  /** The name of the plugin if known, or else that of its folder. */
  plugin: string;
  location: string;
  reason: string;
  hint?: string | undefined;
};

/** A plugin that cannot be used and is skipped. */
export class BadPlugin extends HermesError {}

export function describeFault({ plugin, location, reason, hint }: PluginFault): string {
  return `Plugin ${plugin} (${location}): ${reason}.${hint === undefined ? '' : ` ${hint}`}`;
}
