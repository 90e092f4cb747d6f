import { toNumber } from './values.ts';
import type { EnvironmentVariables } from '../paths.ts';
import type { RESET_MODES } from '../gateway-keys.ts';
import type { ConfigFile } from '../schema.ts';

/** When a chat gets a new session: after a time without messages, at an hour of the day, at both, or never. */
export type ResetPolicy = {
  mode: (typeof RESET_MODES)[number];
  /** The local hour of the daily reset. */
  atHour: number;
  idleMinutes: number;
};

export type ResetSettings = {
  general: ResetPolicy;
  /** Policies of platforms, which take precedence over those of chat types. */
  byPlatform: Readonly<Record<string, ResetPolicy>>;
  byType: Readonly<Record<string, ResetPolicy>>;
  /** Whether Hermes reports a reset to the chat. */
  notify: boolean;
  /** Platforms whose chats get no report. */
  silentPlatforms: readonly string[];
  /** The IANA time zone of the daily reset; undefined for that of the machine. */
  timeZone: string | undefined;
};

type ResetValues = NonNullable<ConfigFile['reset_by_type']>[string];

/** The defaults of the original: existing homes keep their behaviour. */
export const DEFAULT_RESET = { mode: 'both', atHour: 4, idleMinutes: 1440 } as const satisfies ResetPolicy;
const SILENT_PLATFORMS = ['api_server', 'webhook'];

export function readResetValues(values: ConfigFile, variables: EnvironmentVariables): ResetSettings {
  const reset = values.session_reset ?? {};
  const written = toPolicy(reset, DEFAULT_RESET);
  const general: ResetPolicy = {
    mode: written.mode,
    atHour: toNumber(variables['SESSION_RESET_HOUR'], { min: 0, max: 23 }) ?? written.atHour,
    idleMinutes: toNumber(variables['SESSION_IDLE_MINUTES'], { min: 1 }) ?? written.idleMinutes,
  };
  const each = (policies: Readonly<Record<string, ResetValues>> = {}) =>
    Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, toPolicy(policy, general)]));
  return {
    general,
    byPlatform: each(values.reset_by_platform),
    byType: each(values.reset_by_type),
    notify: reset.notify ?? true,
    silentPlatforms: reset.notify_exclude_platforms ?? SILENT_PLATFORMS,
    timeZone: values.timezone,
  };
}

function toPolicy({ mode, at_hour, idle_minutes }: ResetValues, otherwise: ResetPolicy): ResetPolicy {
  return {
    mode: mode ?? otherwise.mode,
    atHour: at_hour ?? otherwise.atHour,
    idleMinutes: idle_minutes ?? otherwise.idleMinutes,
  };
}
