/**
 * Why a provider did not read a prompt from its cache although it had read most of it before. The names are stored and
 * are part of the JSON output.
 */
type CacheMissCause =
  /** The first call of a session: nothing was sent before. */
  | { reason: 'first_call' }
  /** The prompt is shorter than providers cache. */
  | { reason: 'too_short' }
  /** The model was called for the first time in this session, after another one: a fallback, or the user's choice. */
  | { reason: 'fallback' | 'model_switched'; from: string }
  /** Names of tools whose definition changed, was added or was removed. */
  | { reason: 'tools_changed'; tools: string[] }
  /** The system prompt was rebuilt, for example in another working directory. */
  | { reason: 'prompt_changed' }
  | { reason: 'compressed' }
  /** Messages that had been sent were undone or repaired. */
  | { reason: 'history_edited' }
  /** Names of settings that are part of the request, such as `effort`. */
  | { reason: 'settings_changed'; settings: string[] }
  /** Another credential was used; accounts do not share a cache. */
  | { reason: 'credential_changed' }
  /** So many minutes passed since the model last read the conversation. */
  | { reason: 'expired'; minutes: number }
  /** The provider has never reported cached tokens in this session. */
  | { reason: 'not_reported' }
  /** Nothing changed and nothing expired: the provider evicted its entry, or cached only a part of the prompt. */
  | { reason: 'evicted' };

/** A cache miss: its reason, and how many tokens were not read from the cache although they could have been. */
export type CacheMiss = CacheMissCause & { tokens: number };

export type CacheMissReason = CacheMissCause['reason'];

/** The reason in a few words, without the number of tokens. */
export function describeCacheMiss(miss: CacheMiss): string {
  const reason = describeCacheMissReason(miss.reason);
  switch (miss.reason) {
    case 'fallback':
    case 'model_switched':
      return `${reason} from ${miss.from}`;
    case 'tools_changed':
      return `${reason}: ${shorten(miss.tools)}`;
    case 'settings_changed':
      return `${reason}: ${miss.settings.join(', ')}`;
    case 'expired':
      return `${reason} after ${miss.minutes} ${miss.minutes === 1 ? 'minute' : 'minutes'}`;
    default:
      return reason;
  }
}

/** The reason without what is specific to one call. A later version may have stored a reason that is unknown here. */
export function describeCacheMissReason(reason: CacheMissReason): string {
  return REASONS[reason] ?? reason;
}

const REASONS: Partial<Record<string, string>> & Record<CacheMissReason, string> = {
  first_call: 'first call',
  too_short: 'prompt too short to be cached',
  fallback: 'fallback',
  model_switched: 'model switched',
  tools_changed: 'tools changed',
  prompt_changed: 'system prompt rebuilt',
  compressed: 'compression',
  history_edited: 'history edited',
  settings_changed: 'settings changed',
  credential_changed: 'another credential',
  expired: 'expired',
  not_reported: 'provider reported no cached tokens',
  evicted: 'not in the cache of the provider',
};

const MAX_NAMES = 3;

function shorten(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
