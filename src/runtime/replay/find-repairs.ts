import { hash } from 'node:crypto';
import { attachmentsOf, type Message } from '../../base/index.ts';
import { redactSecrets, shorten } from '../../util/index.ts';

/** The messages of a request. The first `unchanged` are the same as in the previous request. */
type SentMessages = { sent: readonly Message[]; unchanged: number };

/** Finds history repairs: messages that were omitted, changed or added. */
export interface RepairFinder {
  /**
   * Describes the repairs that were not reported before, for the request that was built from the first `length` messages
   * of the history. Trimmed whitespace is not reported.
   */
  next(history: readonly Message[], length: number, request: SentMessages): string[];
}

const SHOWN = 60;

/** Only messages that changed since the previous request are compared: most requests differ by a few. */
export function createRepairFinder(): RepairFinder {
  const reported = new Set<string>();
  const stored = new Set<string>();
  const there = createCounts();
  /** The keys of the messages that were sent. */
  const sentKeys: string[] = [];
  const storedKeys: string[] = [];

  /** Returns whether a message that was sent before is sent no longer. */
  function replaceSent({ sent, unchanged }: SentMessages): boolean {
    const gone = sentKeys.splice(unchanged);
    for (const message of sent.slice(unchanged)) {
      const key = keyOf(message);
      sentKeys.push(key);
      there.add(key);
    }
    return gone.filter((key) => there.remove(key)).length > 0;
  }

  return {
    next(history, length, request) {
      const { sent, unchanged } = request;
      const first = replaceSent(request) ? 0 : storedKeys.length;
      for (const message of history.slice(storedKeys.length, length)) {
        const key = keyOf(message);
        storedKeys.push(key);
        stored.add(key);
        // The images of tool results may follow in a user message.
        if (message.role === 'tool' && attachmentsOf(message).length > 0) stored.add(USER_WITH_FILES);
      }
      const found: string[] = [];
      for (let index = first; index < length; index += 1) {
        if (there.has(storedKeys[index] as string)) continue;
        found.push(`message ${index + 1} (${describe(history[index] as Message)}) is omitted or changed`);
      }
      for (let index = unchanged; index < sent.length; index += 1) {
        if (stored.has(sentKeys[index] as string)) continue;
        found.push(`message ${index + 1} of the request (${describe(sent[index] as Message)}) is added`);
      }
      const news = found.filter((repair) => !reported.has(repair));
      for (const repair of news) reported.add(repair);
      return news;
    },
  };
}

/** A set of keys that can contain a key several times. */
function createCounts() {
  const counts = new Map<string, number>();
  return {
    has: (key: string) => counts.has(key),
    add(key: string): void {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    /** Returns whether this was the last one. */
    remove(key: string): boolean {
      const left = (counts.get(key) ?? 0) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
      return left <= 0;
    },
  };
}

const USER_WITH_FILES = 'user with files';

/** 72 bits. A longer slice would keep the whole hash in memory. */
const KEY_LENGTH = 12;

/** A short key that is equal for messages with equal content, so that the texts are not kept a second time. */
function keyOf(message: Message): string {
  const content = contentOf(message);
  return content === USER_WITH_FILES ? content : hash('sha256', content, 'base64').slice(0, KEY_LENGTH);
}

/** The parts of a message that are compared. Attachments have another form when they are sent. */
function contentOf(message: Message): string {
  if (message.role === 'user' && message.attachments !== undefined) return USER_WITH_FILES;
  if (message.role === 'tool' && message.attachments !== undefined) return `${message.toolCallId} with files`;
  const text = message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
  const link = message.role === 'tool' ? message.toolCallId : '';
  return JSON.stringify([message.role, text.trim(), calls, link]);
}

function describe(message: Message): string {
  const name = message.role === 'tool' ? `result of ${message.toolName ?? 'a tool'}` : message.role;
  return `${name}: ${shorten(redactSecrets(message.content).replaceAll(/\s+/g, ' ').trim(), SHOWN)}`;
}
