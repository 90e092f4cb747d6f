import * as z from 'zod/mini';
import { amount, count, flag, oneOf, section, text } from './schema-parts.ts';
import { NOTIFICATION_MODES, THEMES } from './section-settings.ts';
import { BUSY_INPUT_MODES, STREAMING_TRANSPORTS, TOOL_PROGRESS_MODES } from './settings.ts';

const PREVIEW = 'a whole number of characters, or 0 for the default';

/** What chats show while a turn runs. Each of these keys can be set for all platforms and for one. */
function chatKeys() {
  return {
    tool_progress: z.optional(toolProgress()),
    tool_preview_length: z.optional(z.int(PREVIEW).check(z.nonnegative(PREVIEW))),
    show_reasoning: flag(),
    interim_assistant_messages: flag(),
    cleanup_progress: flag(),
    long_running_notifications: flag(),
  };
}

/** In YAML 1.1, `off` is `false`. */
function toolProgress() {
  const read = (value: unknown) => (value === true ? 'all' : value === false ? 'off' : value);
  return z.pipe(z.transform(read), oneOf(TOOL_PROGRESS_MODES));
}

/** In YAML 1.1, `off` is `false`. */
function notifications() {
  return z.pipe(
    z.transform((value: unknown) => (value === false ? 'off' : value)),
    oneOf(NOTIFICATION_MODES),
  );
}

export function displaySection() {
  const platform = section({ ...chatKeys(), streaming: flag() });
  return section({
    ...chatKeys(),
    busy_input_mode: z.optional(oneOf(BUSY_INPUT_MODES)),
    plain: flag(),
    bell: flag(),
    ignored_settings: flag(),
    notifications: z.optional(notifications()),
    theme: z.optional(oneOf(THEMES)),
    personality: z.optional(text),
    platforms: z.optional(z.record(z.string(), platform, 'a mapping of platforms to settings')),
    tool_progress_overrides: z.optional(z.record(z.string(), toolProgress(), 'a mapping of platforms to modes')),
  });
}

/** How an answer is shown while it is written. */
export function streamingSection() {
  return section({
    enabled: flag(),
    transport: z.optional(oneOf(STREAMING_TRANSPORTS)),
    edit_interval: z.optional(amount()),
    buffer_threshold: z.optional(count),
    cursor: z.optional(text),
  });
}
