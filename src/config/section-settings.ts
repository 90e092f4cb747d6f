import type { CacheTtlSetting, CachingMode } from '../contracts/index.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';
import {
  type BrowserSettings,
  type CheckpointSettings,
  type CompressionSettings,
  DEFAULT_BROWSER,
  DEFAULT_CODE,
  DEFAULT_COMPRESSION,
  DEFAULT_DELEGATION,
  type LoginOverrides,
  type MemorySettings,
  type Settings,
} from './settings.ts';

/** `browser.*`; an empty string counts as not set, in the file and in variables. */
export function readBrowserSettings(
  values: ConfigFile['browser'] = {},
  variables: EnvironmentVariables,
): BrowserSettings {
  return {
    enabled: values.enabled ?? DEFAULT_BROWSER.enabled,
    cdpUrl: values.cdp_url || variables['BROWSER_CDP_URL'] || undefined,
    executable: values.executable_path || variables['AGENT_BROWSER_EXECUTABLE_PATH'] || undefined,
    headed: values.headed ?? DEFAULT_BROWSER.headed,
    sandbox: values.sandbox,
    allowPrivate: values.allow_private_urls ?? DEFAULT_BROWSER.allowPrivate,
    idleSeconds: values.inactivity_timeout ?? DEFAULT_BROWSER.idleSeconds,
    commandSeconds: values.command_timeout ?? DEFAULT_BROWSER.commandSeconds,
  };
}

/** `compression.*` and `context.engine`. */
export function readCompressionSettings({ compression, context }: ConfigFile): Pick<Settings, 'contextEngine'> & {
  compression: CompressionSettings;
} {
  return {
    compression: {
      enabled: compression?.enabled ?? DEFAULT_COMPRESSION.enabled,
      threshold: compression?.threshold,
      maxTokens: compression?.max_tokens ?? DEFAULT_COMPRESSION.maxTokens,
      targetRatio: compression?.target_ratio ?? DEFAULT_COMPRESSION.targetRatio,
      clearAt: compression?.clear_at ?? DEFAULT_COMPRESSION.clearAt,
      protectLastN: compression?.protect_last_n ?? DEFAULT_COMPRESSION.protectLastN,
      protectFirstN: compression?.protect_first_n ?? DEFAULT_COMPRESSION.protectFirstN,
    },
    contextEngine: context?.engine,
  };
}

/** `credential_pool_strategies` and `auth.*`. */
export function readCredentialSettings(values: ConfigFile): Pick<Settings, 'poolStrategies' | 'logins'> {
  const { credential_pool_strategies: poolStrategies, auth } = values;
  if (auth === undefined) return { poolStrategies };
  const logins = Object.entries(auth).map(([provider, entry]): [string, LoginOverrides] => [
    provider,
    {
      clientId: entry.client_id,
      scope: entry.scope,
      deviceUrl: entry.device_url,
      authorizeUrl: entry.authorize_url,
      tokenUrl: entry.token_url,
      redirectUri: entry.redirect_uri,
      exchangeUrl: entry.exchange_url,
    },
  ]);
  return { poolStrategies, logins: Object.fromEntries(logins) };
}

/** `delegation.*`, `code_execution.*` and `trajectories.*`. */
export function readWorkSettings(values: ConfigFile): Pick<Settings, 'delegation' | 'codeExecution' | 'trajectories'> {
  const { delegation, code_execution: code, trajectories } = values;
  return {
    delegation: {
      maxIterations: delegation?.max_iterations ?? DEFAULT_DELEGATION.maxIterations,
      maxConcurrent: delegation?.max_concurrent_children ?? DEFAULT_DELEGATION.maxConcurrent,
      // Existing files use 0 for no limit.
      timeoutSeconds: delegation?.child_timeout_seconds || undefined,
    },
    codeExecution: {
      timeoutSeconds: code?.timeout ?? DEFAULT_CODE.timeoutSeconds,
      maxCalls: code?.max_tool_calls ?? DEFAULT_CODE.maxCalls,
    },
    trajectories: {
      enabled: values.agent?.save_trajectories ?? false,
      file: trajectories?.file,
      systemTemplate: trajectories?.system_template,
      redact: trajectories?.redact ?? false,
    },
  };
}

export const DEFAULT_CACHING = { cacheTtl: '5m', cachingMode: 'auto' } as const satisfies CachingSettings;

type CachingSettings = { cacheTtl: CacheTtlSetting; cachingMode: CachingMode };

/** `prompt_caching.*`: whether requests get cache markers, and how long a provider is asked to cache a request. */
export function readCachingSettings({ prompt_caching: caching }: ConfigFile): CachingSettings {
  return {
    cacheTtl: caching?.cache_ttl ?? DEFAULT_CACHING.cacheTtl,
    cachingMode: caching?.mode ?? DEFAULT_CACHING.cachingMode,
  };
}

/** The themes of the screen. `auto` detects whether the background is dark or light. */
export const THEMES = ['auto', 'dark', 'light', 'high-contrast', 'none'] as const;
/** `auto`: with OSC 9 in terminals that are known to support it. */
export const NOTIFICATION_MODES = ['auto', 'osc9', 'osc777', 'off'] as const;
export type NotificationMode = (typeof NOTIFICATION_MODES)[number];

/** The appearance of a terminal chat. */
export type DisplaySettings = {
  /** Plain mode instead of the screen. */
  plain: boolean;
  /** Ring the terminal bell when a long turn ends or a question is waiting. */
  bell: boolean;
  /** How the same is shown as a notification of the desktop. */
  notifications: NotificationMode;
  /** Show the reasoning of the model in full instead of one line about it. */
  showReasoning: boolean;
  /** Name settings that have no effect at the start. */
  ignoredSettings: boolean;
  theme: (typeof THEMES)[number];
};

export const DEFAULT_DISPLAY: DisplaySettings = Object.freeze({
  plain: false,
  bell: true,
  notifications: 'auto',
  showReasoning: false,
  ignoredSettings: true,
  theme: 'auto',
});

/** The keys of `display.*` that affect terminal output. */
export function readDisplaySettings(section: ConfigFile['display']): DisplaySettings {
  return {
    plain: section?.plain ?? DEFAULT_DISPLAY.plain,
    bell: section?.bell ?? DEFAULT_DISPLAY.bell,
    notifications: section?.notifications ?? DEFAULT_DISPLAY.notifications,
    showReasoning: section?.show_reasoning ?? DEFAULT_DISPLAY.showReasoning,
    ignoredSettings: section?.ignored_settings ?? DEFAULT_DISPLAY.ignoredSettings,
    theme: section?.theme ?? DEFAULT_DISPLAY.theme,
  };
}

export const DEFAULT_MEMORY = { memoryCharacters: 2_200, userCharacters: 1_375, nudgeInterval: 10 } as const;
const HONCHO_URL = 'https://api.honcho.dev';

/** `memory.*`; the URL of Honcho can also be set with a variable. */
export function readMemorySettings(section: ConfigFile['memory'], variables: EnvironmentVariables): MemorySettings {
  const honcho = section?.honcho;
  return {
    limits: {
      ...((section?.memory_enabled ?? true) && {
        memory: section?.memory_char_limit ?? DEFAULT_MEMORY.memoryCharacters,
      }),
      ...((section?.user_profile_enabled ?? true) && {
        user: section?.user_char_limit ?? DEFAULT_MEMORY.userCharacters,
      }),
    },
    writeApproval: section?.write_approval ?? false,
    nudgeInterval: section?.nudge_interval ?? DEFAULT_MEMORY.nudgeInterval,
    provider: section?.provider?.trim() || undefined,
    honcho: {
      baseUrl: honcho?.base_url ?? (variables['HONCHO_BASE_URL']?.trim() || HONCHO_URL),
      workspace: honcho?.workspace ?? 'hermes',
      userPeer: honcho?.user_peer ?? 'user',
      agentPeer: honcho?.agent_peer ?? 'hermes',
    },
  };
}

export const DEFAULT_CHECKPOINTS = {
  enabled: 'auto',
  maxCheckpoints: 20,
  maxFileMegabytes: 10,
  maxTotalMegabytes: 500,
  excludes: [],
} as const;
const MEGABYTE = 1024 * 1024;

/** `checkpoints.*` */
export function readCheckpointSettings(section: ConfigFile['checkpoints']): CheckpointSettings {
  return {
    enabled: section?.enabled ?? DEFAULT_CHECKPOINTS.enabled,
    maxCheckpoints: section?.max_snapshots ?? DEFAULT_CHECKPOINTS.maxCheckpoints,
    maxFileBytes: (section?.max_file_size_mb ?? DEFAULT_CHECKPOINTS.maxFileMegabytes) * MEGABYTE,
    maxTotalBytes: (section?.max_total_size_mb ?? DEFAULT_CHECKPOINTS.maxTotalMegabytes) * MEGABYTE,
    excludes: section?.excludes ?? DEFAULT_CHECKPOINTS.excludes,
  };
}
