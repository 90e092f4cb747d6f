import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  startTimer,
} from '../../base/index.ts';
import type { ChatSource, GatewayConversation, GatewayStore, Logger, SessionStore } from '../../contracts/index.ts';
import { changeFile, writeFileAtomic } from '../../util/index.ts';
import type { OriginalSession } from './chats/chat-sessions.ts';

/** A file of the original is small; something else is not read. */
const MAX_BYTES = 64_000_000;

/**
 * Reads which sessions the original used for its chats, by key, from `sessions/sessions.json`. Entries that are not
 * valid are reported together and left out.
 */
export async function readOriginalSessions(
  home: string,
  onProblem: (problem: string) => void,
): Promise<ReadonlyMap<string, OriginalSession>> {
  const file = fileOf(home);
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') onProblem(`${file} cannot be read: ${errorMessage(thrown)}`);
    return undefined;
  });
  if (text === undefined || text.trim() === '') return new Map();
  const content = text.length > MAX_BYTES ? undefined : parseJson(text);
  if (!isJsonObject(content)) {
    onProblem(`${file} is not a JSON object. Chats of the original start new sessions.`);
    return new Map();
  }
  const entries = Object.entries(content).map(([key, value]) => [key, readEntry(value)] as const);
  const valid = entries.filter((entry): entry is [string, OriginalSession] => entry[1] !== undefined);
  const broken = entries.length - valid.length;
  if (broken > 0) onProblem(`${file}: ${broken} of ${entries.length} entries are not valid and are ignored.`);
  return new Map(valid);
}

function readEntry(value: JsonValue | undefined): OriginalSession | undefined {
  const sessionId = isJsonObject(value) ? value['session_id'] : undefined;
  if (!isJsonObject(value) || typeof sessionId !== 'string' || sessionId === '') return undefined;
  const written = value['updated_at'];
  const time = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return { sessionId, updatedAt: Number.isNaN(time) ? undefined : time, isSuspended: value['suspended'] === true };
}

function fileOf(home: string): string {
  return join(home, 'sessions', 'sessions.json');
}

export type SessionsFileOptions = {
  home: string;
  store: Pick<GatewayStore, 'getGatewayConversation'>;
  sessions: Pick<SessionStore, 'getSession' | 'getLastCall'>;
  clock: Clock;
  logger: Logger;
};

/**
 * Writes the sessions of chats to `sessions/sessions.json` as well, so that the original continues them if the user goes
 * back to it. Our own tables remain what counts.
 */
export interface SessionsFile {
  /** The chat has another session, or its session was used. */
  touch(chatKey: string): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

const WRITE_MS = 1000;
const MAX_WRITE_MS = 30_000;
/** A file with many chats takes longer to write, and is written less often. */
const SHARE = 20;

export function startSessionsFile(options: SessionsFileOptions): SessionsFile {
  const { home, clock, logger } = options;
  const changed = new Set<string>();
  const closing = new AbortController();
  let waitMs = WRITE_MS;
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    const keys = [...changed];
    changed.clear();
    const elapsed = startTimer(clock);
    try {
      const entries = (await Promise.all(keys.map((key) => findEntry(options, key)))).filter(
        (one) => one !== undefined,
      );
      if (entries.length > 0) await changeEntries(fileOf(home), entries);
    } catch (thrown) {
      logger.warn('could not write sessions.json', { error: errorMessage(thrown) });
    }
    waitMs = Math.min(MAX_WRITE_MS, Math.max(WRITE_MS, elapsed() * SHARE));
  }

  async function work(): Promise<void> {
    while (changed.size > 0) {
      await clock.sleep(waitMs, closing.signal).catch(() => undefined);
      await write();
    }
    writing = undefined;
  }

  return {
    touch(chatKey) {
      changed.add(chatKey);
      writing ??= work();
    },
    async close() {
      closing.abort();
      await writing;
    },
  };
}

type Entry = { key: string; fields: JsonObject };

async function findEntry({ store, sessions }: SessionsFileOptions, key: string): Promise<Entry | undefined> {
  const chat = await store.getGatewayConversation(key);
  const session = chat?.sessionId === undefined ? undefined : await sessions.getSession(chat.sessionId);
  if (chat === undefined || session === undefined) return undefined;
  const { input, output, cacheRead, cacheWrite } = session.usage;
  const last = (await sessions.getLastCall(session.id))?.usage;
  const fields: JsonObject = {
    ...describeChat(chat),
    session_key: key,
    session_id: session.id,
    created_at: localTime(session.startedAt),
    updated_at: localTime(chat.updatedAt),
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    total_tokens: input + output + cacheRead + cacheWrite,
    last_prompt_tokens: last === undefined ? 0 : last.input + last.cacheRead + last.cacheWrite,
    suspended: false,
  };
  return { key, fields };
}

/** The source record of the original. */
function describeChat({ source }: GatewayConversation): JsonObject {
  const { platform, chatType, chatId, chatName, userId, userName, threadId, chatTopic, userIdAlt } =
    source as unknown as ChatSource;
  const origin: JsonObject = {
    platform,
    chat_id: chatId,
    chat_name: chatName ?? null,
    chat_type: chatType,
    user_id: userId ?? null,
    user_name: userName ?? null,
    thread_id: threadId ?? null,
    chat_topic: chatTopic ?? null,
  };
  if (userIdAlt !== undefined) origin['user_id_alt'] = userIdAlt;
  return { platform, chat_type: chatType, display_name: chatName ?? userName ?? null, origin };
}

/** What the original has in addition, for entries that it has not written itself. */
const DEFAULTS: JsonObject = { estimated_cost_usd: 0, cost_status: 'unknown', memory_flushed: false };

/** Entries and fields that we do not know stay as they are. */
async function changeEntries(file: string, entries: readonly Entry[]): Promise<void> {
  await changeFile(file, async () => {
    const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return '{}';
      throw thrown;
    });
    const content = parseJson(text.trim() === '' ? '{}' : text);
    // A damaged file may be repaired by its owner.
    if (!isJsonObject(content)) throw new Error('it is not a JSON object');
    for (const { key, fields } of entries) {
      const before = content[key];
      content[key] = { ...DEFAULTS, ...(isJsonObject(before) ? before : {}), ...fields };
    }
    await writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  });
}

/** A time as Python writes it: local, without a time zone. The original cannot compare its times with others. */
function localTime(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return `${local.toISOString().slice(0, -1)}000`;
}
