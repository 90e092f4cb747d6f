import { type HookEvent, HOOK_EVENTS } from '../contracts/index.ts';
import type { JsonObject } from '../base/index.ts';
import type { ConfigFile } from './schema.ts';

/** `plugins.*` */
export type PluginSettings = {
  /** The names of the plugins to load; no other plugin is loaded. */
  enabled: readonly string[];
  /** The names of plugins that are never loaded, even if they are enabled. */
  disabled: readonly string[];
  /** Plugins that are npm packages, by name or folder, as written in the file. */
  packages: readonly string[];
  /** Projects whose plugins may be enabled. */
  trustedProjectDirs: readonly string[];
  /** The settings of each plugin, by its name. */
  config: Readonly<Record<string, JsonObject>>;
};

/** A shell hook of the user, `hooks.EVENT`. */
export type ShellHookSettings = {
  event: HookEvent;
  command: string;
  /** A regular expression for tool names; absent for all tools. */
  matcher?: string | undefined;
  timeoutSeconds: number;
  /** Its config key: `hooks.pre_tool_call[0]`. */
  key: string;
};

const HOOK_SECONDS = 60;
const MAX_HOOK_SECONDS = 300;

/** Undefined if the section is missing. */
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

/**
 * Files written for other programs may contain hook events that Hermes does not have; they are ignored with a
 * warning.
 */
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
    hookWarnings: unknown.map(
      (event) => `hooks.${event} is ignored, because it is not a known hook event. Known events: ${known}.`,
    ),
  };
}

function isHookEvent(event: string): event is HookEvent {
  return Object.hasOwn(HOOK_EVENTS, event);
}
