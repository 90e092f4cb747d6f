import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../base/index.ts';
import type { GatewayConversation, GatewayStore, KnownTargets } from '../../../contracts/index.ts';
import { writeFileAtomic } from '../../../util/index.ts';

export type DirectoryEntry = KnownTargets['chats'][number] & {
  /** The server that a channel belongs to, where the platform has such. */
  guild?: string;
};

/** How many chats the directory has at most. */
const MAX_CHATS = 1000;

/**
 * The chats in which the bot was used, newest first, and those that `channel_directory.json` has in addition: the
 * original fills it from the platforms themselves.
 */
export async function readDirectory(home: string, store: GatewayStore): Promise<DirectoryEntry[]> {
  const stored = (await store.listGatewayConversations(MAX_CHATS)).flatMap((chat) => toEntry(chat) ?? []);
  const byAddress = new Map<string, DirectoryEntry>();
  for (const entry of [...stored, ...(await readFileEntries(fileOf(home)))]) {
    const address = `${entry.platform}:${idOf(entry)}`;
    if (!byAddress.has(address) && byAddress.size < MAX_CHATS) byAddress.set(address, entry);
  }
  return [...byAddress.values()];
}

/** Writes `channel_directory.json`, in the format of the original. */
export async function writeDirectory(
  home: string,
  entries: readonly DirectoryEntry[],
  { now, platforms }: { now: number; platforms: readonly string[] },
): Promise<void> {
  const names = [...new Set([...platforms, ...entries.map(({ platform }) => platform)])];
  const lists = names.map((name) => [name, entries.filter(({ platform }) => platform === name).map(toFileEntry)]);
  const content = { updated_at: new Date(now).toISOString(), platforms: Object.fromEntries(lists) as JsonObject };
  await writeFileAtomic(fileOf(home), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

function fileOf(home: string): string {
  return join(home, 'channel_directory.json');
}

/** As in the original, the id of a thread is part of the id. */
function idOf({ chatId, threadId }: DirectoryEntry): string {
  return threadId === undefined ? chatId : `${chatId}:${threadId}`;
}

function toEntry({ account, source }: GatewayConversation): DirectoryEntry | undefined {
  const text = (name: string) => (typeof source[name] === 'string' && source[name] !== '' ? source[name] : undefined);
  const [chatId, threadId] = [text('chatId'), text('threadId')];
  if (chatId === undefined) return undefined;
  const chat = text('chatName') ?? text('userName') ?? chatId;
  const name = threadId === undefined ? chat : `${chat} / ${text('chatTopic') ?? `topic ${threadId}`}`;
  const platform = text('platform') ?? account.slice(0, account.indexOf(':'));
  const entry: DirectoryEntry = { platform, chatId, name, type: text('chatType') ?? 'dm' };
  return threadId === undefined ? entry : { ...entry, threadId };
}

function toFileEntry(entry: DirectoryEntry): JsonObject {
  const { name, type, guild, threadId } = entry;
  const written: JsonObject = { id: idOf(entry), name, type };
  if (guild !== undefined) written['guild'] = guild;
  if (threadId !== undefined) written['thread_id'] = threadId;
  return written;
}

/** The file may be missing, damaged or of another version: it is only a directory. */
async function readFileEntries(file: string): Promise<DirectoryEntry[]> {
  const content = parseJson(await readFile(file, 'utf8').catch(() => ''));
  const platforms = isJsonObject(content) ? content['platforms'] : undefined;
  if (!isJsonObject(platforms)) return [];
  return Object.entries(platforms).flatMap(([platform, list]) =>
    Array.isArray(list) ? list.flatMap((value) => readEntry(platform, value) ?? []) : [],
  );
}

function readEntry(platform: string, value: JsonValue): DirectoryEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = (name: string) => {
    const field = value[name];
    return typeof field === 'string' || typeof field === 'number' ? String(field) : undefined;
  };
  const [id, threadId, guild] = [text('id'), text('thread_id'), text('guild')];
  if (id === undefined || id === '') return undefined;
  const chatId = threadId !== undefined && id.endsWith(`:${threadId}`) ? id.slice(0, -threadId.length - 1) : id;
  const entry: DirectoryEntry = { platform, chatId, name: text('name') ?? id, type: text('type') ?? 'channel' };
  if (threadId !== undefined) entry.threadId = threadId;
  if (guild !== undefined) entry.guild = guild;
  return entry;
}
