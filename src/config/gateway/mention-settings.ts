import { parseJson } from '../../base/index.ts';
import { BOT_POLICIES, type MentionSettings } from '../../contracts/index.ts';
import type { EnvironmentVariables } from '../paths.ts';
import type { ConfigFile } from '../schema.ts';
import { splitList, toBoolean } from './values.ts';

/** The keys of a platform, as they are in `platforms.NAME.extra` and in the section of the platform. */
export type MentionValues = NonNullable<NonNullable<NonNullable<ConfigFile['platforms']>[string]>['extra']>;

/** The original names these lists by what the platform calls a chat. */
const CHATS = ['CHATS', 'CHANNELS', 'ROOMS'] as const;

/** Reads variables such as `DISCORD_FREE_RESPONSE_CHANNELS` first, then the keys in the order of `sections`. */
export function readMentionValues(
  prefix: string,
  sections: readonly MentionValues[],
  { variables, onProblem }: { variables: EnvironmentVariables; onProblem(problem: string): void },
): MentionSettings {
  const lookUp = (name: string) => variables[`${prefix}_${name}`];
  const first = <Value>(read: (values: MentionValues) => Value | undefined): Value | undefined =>
    sections.map(read).find((value) => value !== undefined);
  const list = (names: readonly string[], read: (values: MentionValues) => readonly string[] | undefined) => {
    const set = names.map(lookUp).find((value) => value !== undefined && value !== '');
    return set === undefined ? (first(read) ?? []) : splitList(set);
  };
  const written = lookUp('MENTION_PATTERNS');
  const patterns = written === undefined || written === '' ? first((each) => each.mention_patterns) : readList(written);
  const bots = lookUp('ALLOW_BOTS')?.trim().toLowerCase() ?? first((each) => each.allow_bots);
  return {
    required: toBoolean(lookUp('REQUIRE_MENTION')) ?? first((each) => each.require_mention) ?? true,
    patterns: (patterns ?? []).flatMap((pattern) => toExpression(pattern, prefix, onProblem)),
    freeChats: list(
      CHATS.map((name) => `FREE_RESPONSE_${name}`),
      (each) => each.free_response_chats ?? each.free_response_channels ?? each.free_response_rooms,
    ),
    allowedChats: list(['ALLOWED_CHATS', 'ALLOWED_CHANNELS'], (each) => each.allowed_chats ?? each.allowed_channels),
    ignoredChats: list(['IGNORED_CHATS', 'IGNORED_CHANNELS'], (each) => each.ignored_chats ?? each.ignored_channels),
    ignoredThreads: list(['IGNORED_THREADS'], (each) => each.ignored_threads),
    ignoredUsers: list(['IGNORED_USERS'], (each) => each.ignored_users),
    bots: BOT_POLICIES.find((policy) => policy === bots) ?? (toBoolean(bots) === true ? 'all' : 'none'),
  };
}

/** A JSON list, or patterns separated by line breaks or commas. */
function readList(text: string): string[] {
  const value = parseJson(text);
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  return text.split(text.includes('\n') ? '\n' : ',').flatMap((part) => part.trim() || []);
}

/** A pattern that is not valid is reported and ignored. Patterns of the original may start with `(?i)`. */
function toExpression(pattern: string, prefix: string, onProblem: (problem: string) => void): RegExp[] {
  try {
    return [new RegExp(pattern.replace(/^\(\?[imsu]+\)/, ''), 'iu')];
  } catch {
    onProblem(`mention_patterns of ${prefix.toLowerCase()}: ${JSON.stringify(pattern)} is not a regular expression.`);
    return [];
  }
}
