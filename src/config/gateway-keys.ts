import * as z from 'zod/mini';
import { amount, count, endpoint, flag, names, oneOf, section, text, toFlag, toList } from './schema-parts.ts';

export const RESET_MODES = ['both', 'idle', 'daily', 'none'] as const;

export function platformsSection() {
  return z.record(z.string(), platform(), 'a mapping of platforms to settings');
}

function platform() {
  return section({
    enabled: flag(),
    token: z.optional(text),
    unauthorized_dm_behavior: z.optional(oneOf(['pair', 'ignore'])),
    home_channel: z.optional(homeChannel()),
    extra: z.optional(
      section({
        base_url: z.optional(endpoint),
        base_file_url: z.optional(endpoint),
        disable_link_previews: flag(),
        reply_in_thread: flag(),
        allow_from: ids(),
        allow_admin_from: ids(),
        group_allow_from: ids(),
        group_allowed_chats: ids(),
        group_allow_admin_from: ids(),
        user_allowed_commands: ids(),
        group_user_allowed_commands: ids(),
        ...webhookKeys(),
        ...apiServerKeys(),
        ...mentionKeys(),
      }),
    ),
  });
}

/** The keys of the platform `webhook`. What a route may contain is checked together with those of subscriptions. */
function webhookKeys() {
  const port = 'a port from 0 to 65535';
  return {
    host: z.optional(text),
    port: z.optional(z.int(port).check(z.gte(0, port), z.lte(65_535, port))),
    public_url: z.optional(endpoint),
    secret: z.optional(text),
    rate_limit: z.optional(count),
    max_body_bytes: z.optional(count),
    routes: z.optional(z.record(z.string(), webhookRoute(), 'a mapping of names to routes')),
  };
}

/** The keys of the platform `api_server`; it shares `host` and `port` with webhooks. */
function apiServerKeys() {
  return {
    key: z.optional(text),
    cors_origins: z.optional(z.pipe(z.transform(toList), z.array(text, 'a list of origins'))),
    model_name: z.optional(text),
  };
}

export function apiServerSection() {
  return section({
    client_tools: flag(),
    public_url: z.optional(endpoint),
    extra_hosts: z.optional(z.pipe(z.transform(toList), z.array(text, 'a list of host names'))),
    max_runs: z.optional(count),
  });
}

function webhookRoute() {
  const list = z.optional(z.pipe(z.transform(toList), names));
  return section({
    secret: z.optional(text),
    events: list,
    prompt: z.optional(text),
    skills: list,
    toolsets: list,
    deliver: z.optional(text),
    deliver_extra: z.optional(z.record(z.string(), z.pipe(z.transform(String), text), 'a mapping of keys to text')),
    deliver_only: flag(),
    description: z.optional(text),
  });
}

/** As `/sethome` writes it. */
function homeChannel() {
  const id = z.pipe(z.transform(String), text);
  return section({ platform: z.optional(text), chat_id: z.optional(id), name: z.optional(id) });
}

/** The section of a platform, such as `telegram`, as the original has it. */
export function platformSection() {
  return section({ unauthorized_dm_behavior: z.optional(oneOf(['pair', 'ignore'])), ...mentionKeys() });
}

/** The original names these lists by what the platform calls a chat. */
function mentionKeys() {
  return {
    require_mention: anyFlag(),
    mention_patterns: z.optional(z.pipe(z.transform(toList), z.array(text, 'a list of regular expressions'))),
    free_response_chats: ids(),
    free_response_channels: ids(),
    free_response_rooms: ids(),
    allowed_chats: ids(),
    allowed_channels: ids(),
    ignored_chats: ids(),
    ignored_channels: ids(),
    ignored_threads: ids(),
    ignored_users: ids(),
    allow_bots: z.optional(z.pipe(z.transform(String), text)),
  };
}

/** Ids are numbers on some platforms, and existing files also write a list as text with commas. */
function ids() {
  const split = (value: unknown) => (typeof value === 'string' ? value.split(',') : [String(value)]);
  const toIds = (value: unknown) =>
    toList(value)
      .flatMap(split)
      .flatMap((id) => id.trim() || []);
  return z.optional(z.pipe(z.transform(toIds), z.array(text, 'a list of ids')));
}

/** A boolean that may also be written as text. */
function anyFlag() {
  const read = (value: unknown) =>
    typeof value === 'string' ? toFlag({ true: 'yes', false: 'no' }[value] ?? value) : value;
  return z.optional(z.pipe(z.transform(read), z.boolean('true or false')));
}

export function sessionReset() {
  return section({
    ...resetKeys(),
    notify: flag(),
    notify_exclude_platforms: z.optional(z.pipe(z.transform(toList), names)),
  });
}

function resetKeys() {
  const hour = 'an hour from 0 to 23';
  return {
    mode: z.optional(
      z.pipe(
        z.transform((value) => (value === false ? 'none' : value)),
        oneOf(RESET_MODES),
      ),
    ),
    at_hour: z.optional(z.int(hour).check(z.gte(0, hour), z.lte(23, hour))),
    idle_minutes: z.optional(amount()),
  };
}

export function resetPolicies() {
  return z.record(z.string(), section(resetKeys()), 'a mapping of names to reset policies');
}

/** Commands of a type that this version does not know are reported by the gateway. */
export function quickCommands() {
  const command = section({ type: z.optional(text), command: z.optional(text), target: z.optional(text) });
  return z.record(z.string(), command, 'a mapping of names to commands');
}

export function timeZone() {
  return text.check(z.refine(isTimeZone, 'an IANA time zone, such as Europe/Berlin'));
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
