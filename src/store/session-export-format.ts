import { HermesError, isJsonObject, type JsonObject, type Message, NO_USAGE } from '../base/index.ts';
import type { ExportedSession, SessionExport } from '../contracts/index.ts';

const ROLES: readonly unknown[] = ['user', 'assistant', 'tool'] satisfies Message['role'][];

/** Reads what may be an exported session, as it comes out of a file; the error says what is wrong with it. */
export function parseSessionExport(value: unknown): SessionExport {
  if (!isJsonObject(value) || value['format'] !== 'hermes-session') throw notAnExport('it is not marked as one');
  if (value['version'] !== 1) throw notAnExport(`its version ${JSON.stringify(value['version'])} is not known here`);
  const lists = ['messages', 'turns', 'calls', 'blobs'].map((name) => listIn(value, name));
  const [messages = [], turns = [], calls = [], blobs = []] = lists;
  for (const [index, message] of messages.entries()) checkMessage(message, index);
  const session = parseSession(value['session']);
  return { format: 'hermes-session', version: 1, session, messages, turns, calls, blobs } as unknown as SessionExport;
}

function parseSession(value: unknown): ExportedSession {
  if (!isJsonObject(value)) throw notAnExport('it has no "session"');
  for (const name of ['id', 'source']) {
    if (typeof value[name] !== 'string' || value[name] === '') throw notAnExport(`"session.${name}" is not a text`);
  }
  if (!Number.isFinite(value['startedAt'])) throw notAnExport('"session.startedAt" is not a number');
  const usage = isJsonObject(value['usage']) ? value['usage'] : {};
  return { ...value, usage: { ...NO_USAGE, ...usage } } as unknown as ExportedSession;
}

function listIn(value: JsonObject, name: string): JsonObject[] {
  const list = value[name] ?? [];
  if (!Array.isArray(list)) throw notAnExport(`"${name}" is not a list`);
  return list.map((entry, index) => {
    if (isJsonObject(entry)) return entry;
    throw notAnExport(`"${name}[${index}]" is not an object`);
  });
}

function checkMessage(exported: JsonObject, index: number): void {
  if (!Number.isFinite(exported['timestamp'])) throw notAnExport(`"messages[${index}]" has no timestamp`);
  const { message, copyOf } = exported;
  if (message === undefined && isJsonObject(copyOf)) return;
  const known = isJsonObject(message) && ROLES.includes(message['role']);
  if (!known || typeof message['content'] !== 'string') {
    throw notAnExport(`"messages[${index}].message" is not a message`);
  }
}

function notAnExport(reason: string): HermesError {
  return new HermesError(`This is no exported session: ${reason}.`, {
    hint: 'Give a file that `hermes sessions export` has written, with one session per line.',
  });
}
