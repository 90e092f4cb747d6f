import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../../base/index.ts';

export type SentFile = { name: string; mediaType: string; bytes: Uint8Array };

/** A message of the bot as its readers see it. */
export type NtfyMessage = { id: string; text: string; tags: readonly string[]; file: SentFile | undefined };

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type NewMessage = { text: string; title?: string; tags?: readonly string[]; file?: SentFile };

/** What the server accepts as parameters of a message. */
const PARAMETERS: readonly string[] = ['message', 'title', 'tags', 'filename'];
/** A longer text becomes a file. */
const MAX_TEXT = 4096;
const MAX_FILE = 15 * 1024 * 1024;

/** The messages and files of a topic. */
export function createTopic(name: string) {
  const events: JsonObject[] = [];
  const sent: NtfyMessage[] = [];
  const files = new Map<string, Uint8Array>();
  const listeners = new Set<(event: JsonObject) => void>();
  let last = 0;
  const describe = (fields: JsonObject): JsonObject => {
    last += 1;
    const id = `fake${String(last).padStart(8, '0')}`;
    return { id, time: Math.floor(Date.now() / 1000), topic: name, ...fields };
  };
  const push = (fields: JsonObject): JsonObject => {
    const event = describe(fields);
    if (event['event'] === 'message') events.push(event);
    for (const listener of listeners) listener(event);
    return event;
  };
  const publish = ({ text, title, tags, file }: NewMessage, { url, isBot }: { url: string; isBot: boolean }) => {
    const path = `/file/${files.size + 1}.bin`;
    if (file !== undefined) files.set(path, file.bytes);
    const message = text.trim() || (file === undefined ? 'triggered' : `You received a file: ${file.name}`);
    const attachment = file && { name: file.name, type: file.mediaType, size: file.bytes.length, url: url + path };
    const { id } = push({
      event: 'message',
      message,
      ...(title !== undefined && { title }),
      ...(tags !== undefined && { tags: [...tags] }),
      ...(attachment && { attachment }),
    });
    if (isBot) sent.push({ id: id as string, text: message, tags: tags ?? [], file });
    return id as string;
  };
  return {
    sent,
    describe,
    push,
    publish,
    find: (id: string) => events.find((event) => event['id'] === id),
    readFile: (path: string) => files.get(path),
    listen(listener: (event: JsonObject) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    publishQuery: (query: URLSearchParams, body: Buffer, url: string) =>
      publish(readMessage(query, body), { url, isBot: true }),
    since: (position: string | null) => selectSince(events, position),
  };
}

function readMessage(query: URLSearchParams, body: Buffer): NewMessage {
  const unknown = [...query.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined) throw new Refusal(400, 40_000, `invalid parameter: ${unknown}`);
  const [title, filename] = [query.get('title'), query.get('filename')];
  const tags = query.get('tags')?.split(',');
  const fields = { ...(title !== null && { title }), ...(tags && { tags }) };
  const isFile = filename !== null || body.length > MAX_TEXT || !isUtf8(body);
  if (!isFile) return { text: body.toString('utf8'), ...fields };
  if (body.length > MAX_FILE) throw new Refusal(413, 41_301, 'attachment too large, or bandwidth limit reached');
  const file = { name: filename ?? 'attachment.txt', mediaType: 'application/octet-stream', bytes: body };
  return { text: query.get('message') ?? '', ...fields, file };
}

/** What a new stream repeats: nothing, everything, what is not older than a time, or what came after a message. */
function selectSince(events: readonly JsonObject[], position: string | null): JsonObject[] {
  if (position === null || position === 'none') return [];
  if (position === 'all') return [...events];
  if (/^\d{10}$/.test(position)) return events.filter((event) => Number(event['time']) >= Number(position));
  if (!/^[A-Za-z0-9]{12}$/.test(position)) throw new Refusal(400, 40_008, 'invalid since parameter');
  const index = events.findIndex((event) => event['id'] === position);
  return events.slice(index + 1);
}
