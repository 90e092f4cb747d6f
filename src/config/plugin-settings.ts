import { type HookEvent, HOOK_EVENTS } from '../contracts/index.ts';
import type { JsonObject } from '../base/index.ts';
import type { ConfigFile } from './schema.ts';

/** `plugins.*` */
export type PluginSettings = {
  /** Names of plugins that are loaded. None is without being named here. */
  enabled: readonly string[];
  /** Names that are not loaded whoever enabled them. */
  disabled: readonly string[];
  /** npm packages that are plugins, by name or folder, as they were written. */
  packages: readonly string[];
  /** Projects whose own plugins may be enabled. */
  trustedProjectDirs: readonly string[];
  /** What each is told of the person's settings, by its name. */
  config: Readonly<Record<string, JsonObject>>;
};

/** A command of the person's own that is run at a step of a turn, `hooks.EVENT`. */
export type ShellHookSettings = {
  event: HookEvent;
  command: string;
  /** An expression for names of tools; absent for all of them. */
  matcher?: string | undefined;
  timeoutSeconds: number;
  /** Where it is written: `hooks.pre_tool_call[0]`. */
  key: string;
};

const HOOK_SECONDS = 60;
const MAX_HOOK_SECONDS = 300;

/** Absent where nothing was written. */
export function readPluginSettings(section: ConfigFile['plugins']): PluginSettings | undefined {
  if (section === undefined) return undefined;
  return {
    enabled: section.enabled ?? [],
    disabled: section.disabled ?? [],
    packages: section.packages ?? [],
    trustedProjectDirs: section.trusted_project_dirs ?? [],
    config: (section.config ?? {}) as Record<string, JsonObject>,
  };
}

/** Files of others name steps that we do not have; those are left out, and said. */
export function readHookSettings(section: ConfigFile['hooks'] = {}): {
  hooks?: readonly ShellHookSettings[];
  hookWarnings: string[];
} {
  const unknown = Object.keys(section).filter((event) => !isHookEvent(event));
  const hooks = Object.entries(section).flatMap(([event, entries]) => {
    if (!isHookEvent(event)) return [];
    return entries.map(
      ({ command, matcher, timeout = HOOK_SECONDS }, index): ShellHookSettings => ({
        event,
        command,
        matcher,
        key: `hooks.${event}[${index}]`,
        timeoutSeconds: Math.min(timeout, MAX_HOOK_SECONDS),
      }),
    );
  });
  const known = Object.keys(HOOK_EVENTS).join(', ');
  return {
    ...(hooks.length > 0 && { hooks }),
    hookWarnings: unknown.map((event) => `hooks.${event} is not used: there is no such step. There are ${known}.`),
  };
}

function isHookEvent(event: string): event is HookEvent {
  return Object.hasOwn(HOOK_EVENTS, event);
}
