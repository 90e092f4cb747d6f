import type { ResetPolicy, ResetSettings } from '../../../config/gateway/index.ts';
import type { ChatSource } from '../../../contracts/index.ts';

/** Why a chat gets a new session. `suspended`: the original has ended the previous one. */
export type ResetReason = 'idle' | 'daily' | 'suspended';

/** The policy of a chat: that of its platform, of its type, or the general one. */
export function policyFor({ platform, chatType }: ChatSource, settings: ResetSettings): ResetPolicy {
  return settings.byPlatform[platform] ?? settings.byType[chatType] ?? settings.general;
}

/** Whether a session that was last used at a time is reset by a message now. */
export function resetReason(
  policy: ResetPolicy,
  { lastActiveAt, now, timeZone }: { lastActiveAt: number; now: number; timeZone: string | undefined },
): ResetReason | undefined {
  const isIdle = now - lastActiveAt > policy.idleMinutes * 60_000;
  if (isIdle && (policy.mode === 'idle' || policy.mode === 'both')) return 'idle';
  if (policy.mode !== 'daily' && policy.mode !== 'both') return undefined;
  return dayOf(now, policy.atHour, timeZone) === dayOf(lastActiveAt, policy.atHour, timeZone) ? undefined : 'daily';
}

const HOUR_MS = 3_600_000;

/** The date of the day that a time belongs to, if days begin at an hour of the local time. */
function dayOf(time: number, atHour: number, timeZone: string | undefined): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(time);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const date = Date.UTC(part('year'), part('month') - 1, part('day'));
  // The wall clock decides, so a day may have 23 or 25 hours.
  return new Date(part('hour') < atHour ? date - 24 * HOUR_MS : date).toISOString().slice(0, 10);
}

/** The notice for the chat. */
export function describeReset(reason: ResetReason, policy: ResetPolicy, sessionId: string): string {
  const reasons: Readonly<Record<ResetReason, string>> = {
    idle: `there was no message for ${describeMinutes(policy.idleMinutes)}`,
    daily: `sessions end daily at ${String(policy.atHour).padStart(2, '0')}:00`,
    suspended: 'the previous one was stopped',
  };
  return `Started a new session, because ${reasons[reason]}. Use \`/resume ${sessionId}\` to continue the previous one.`;
}

function describeMinutes(minutes: number): string {
  const hours = minutes / 60;
  if (hours < 1 || !Number.isInteger(hours)) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}
