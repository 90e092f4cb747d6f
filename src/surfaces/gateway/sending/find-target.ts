import { HermesError } from '../../../base/index.ts';
import type { MessageTarget } from '../../../contracts/index.ts';
import { joinWithOr, nearestNames } from '../../../util/index.ts';
import type { DirectoryEntry } from './channel-directory.ts';

export type TargetSources = {
  platforms: readonly string[];
  /** The ids of the home channels, by platform. */
  homes: ReadonlyMap<string, string>;
  directory: readonly DirectoryEntry[];
};

/**
 * The chat of a target, in the formats of the original: `PLATFORM` for the home channel, `PLATFORM:CHAT[:THREAD]` for
 * ids, and `PLATFORM:#NAME` for names. A name is compared exactly, then with its server as `SERVER/NAME`, then as the
 * start of exactly one name; case does not matter.
 */
export function findTarget(target: string, { platforms, homes, directory }: TargetSources): MessageTarget {
  const [, platform = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(target.trim()) ?? [];
  const name = platform.trim().toLowerCase();
  if (!platforms.includes(name)) throw unknownPlatform(name, platforms);
  const entries = directory.filter((entry) => entry.platform === name);
  const reference = rest.trim();
  if (reference === '') return homeOf(name, homes, entries);
  return findById(name, reference, entries) ?? findByName(name, reference, entries);
}

function unknownPlatform(name: string, platforms: readonly string[]): HermesError {
  if (platforms.length === 0)
    return new HermesError('No messaging platform is configured.', { hint: 'Run `hermes gateway setup`.' });
  const known = joinWithOr(platforms);
  return new HermesError(`"${name}" is not a configured messaging platform.`, { hint: `Use ${known}.` });
}

export function homeOf(
  platform: string,
  homes: ReadonlyMap<string, string>,
  entries: readonly DirectoryEntry[],
): MessageTarget {
  const home = homes.get(platform);
  if (home === undefined)
    throw new HermesError(`${platform} has no home channel.`, {
      hint: `Send /sethome in a chat, set ${platform.toUpperCase()}_HOME_CHANNEL, or name a chat: ${platform}:CHAT_ID.`,
    });
  return findById(platform, home, entries) ?? { platform, chatId: home, name: home };
}

/** Numbers, and the ids of Slack. An id need not be in the directory: the user may know better. */
const ID = /^(-?\d+|[CDGU][A-Z0-9]{7,})(?::(\d+(?:\.\d+)?))?$/;

function findById(platform: string, text: string, entries: readonly DirectoryEntry[]): MessageTarget | undefined {
  const known = entries.find(
    ({ chatId, threadId }) => (threadId === undefined ? chatId : `${chatId}:${threadId}`) === text,
  );
  if (known !== undefined) return toTarget(known);
  const [, chatId, threadId] = ID.exec(text) ?? [];
  if (chatId === undefined) return undefined;
  const name = entries.find((entry) => entry.chatId === chatId && entry.threadId === undefined)?.name ?? chatId;
  const target: MessageTarget = { platform, chatId, name };
  return threadId === undefined ? target : { ...target, threadId };
}

function findByName(platform: string, text: string, entries: readonly DirectoryEntry[]): MessageTarget {
  const wanted = text.replace(/^[#@]/, '').toLowerCase();
  const plain = (name: string) => name.replace(/^[#@]/, '').toLowerCase();
  const exact = entries.filter(({ name }) => plain(name) === wanted);
  const qualified = entries.filter(({ name, guild }) => guild && `${guild}/${plain(name)}`.toLowerCase() === wanted);
  const starting = entries.filter(({ name }) => plain(name).startsWith(wanted));
  const found = [exact, qualified, starting].find((list) => list.length > 0) ?? [];
  const [first, second] = found;
  if (first !== undefined && second === undefined) return toTarget(first);
  if (first !== undefined) {
    const addresses = found.map(({ chatId, threadId }) => [platform, chatId, threadId].filter(Boolean).join(':'));
    throw new HermesError(`Several chats on ${platform} match "${text}".`, { hint: `Use ${joinWithOr(addresses)}.` });
  }
  const near = nearestNames(
    wanted,
    entries.map(({ name }) => name),
    3,
  );
  const hint =
    near.length > 0 ? `Did you mean ${joinWithOr(near)}?` : 'Write to the bot in that chat first, or use its id.';
  throw new HermesError(`No chat on ${platform} is called "${text}".`, { hint });
}

function toTarget({ platform, chatId, threadId, name }: DirectoryEntry): MessageTarget {
  return threadId === undefined ? { platform, chatId, name } : { platform, chatId, threadId, name };
}
