import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { type ChannelEvent, ChannelError, type IncomingFile, type ReceiveOptions } from '../../contracts/index.ts';
import { toNetworkError } from '../http/index.ts';
import { numberAt, objectAt, textAt } from '../json-fields.ts';
import type { NtfyApi } from './ntfy-api.ts';

/** The bot receives its own messages, too, and recognises them by this tag. */
export const OWN_TAG = 'hermes';

/** Reads the stream of a topic. The server repeats what comes after the cursor. */
export async function receiveMessages(
  api: NtfyApi,
  topic: string,
  { cursor, deliver, onAlive, signal }: ReceiveOptions,
): Promise<void> {
  const ending = new AbortController();
  try {
    const known = textAt(cursor, 'since');
    const { lines } = await api.subscribe(topic, known, AbortSignal.any([signal, ending.signal]));
    for await (const line of lines) {
      const event = parseJson(line);
      if (!isJsonObject(event)) throw new ChannelError('transient', 'ntfy: a line of the stream is not valid.');
      onAlive();
      if (event['event'] === 'message') await deliver(toEvents(event, topic), { since: textAt(event, 'id') ?? '' });
      // The position of a bot that has received no message yet.
      else if (event['event'] === 'open' && known === undefined)
        await deliver([], { since: String(numberAt(event, 'time') ?? 'all') });
    }
    throw new ChannelError('transient', 'ntfy: the server ended the stream.');
  } catch (error) {
    if (!signal.aborted) throw toNetworkError('ntfy: receiving', error, true);
  } finally {
    ending.abort();
  }
}

function toEvents(message: JsonObject, topic: string): ChannelEvent[] {
  const [id, tags] = [textAt(message, 'id'), message['tags']];
  const isOwn = Array.isArray(tags) && tags.includes(OWN_TAG);
  if (id === undefined || isOwn) return [];
  const text = [textAt(message, 'title'), textAt(message, 'message')].filter(Boolean).join('\n');
  const files = readFile(objectAt(message, 'attachment'));
  return [
    {
      id,
      kind: 'message',
      source: { platform: 'ntfy', chatType: 'dm', chatId: topic, userId: topic, chatName: topic },
      sentAt: (numberAt(message, 'time') ?? 0) * 1000,
      content: { messageId: id, text, files, isAddressed: true },
    },
  ];
}

function readFile(attachment: JsonObject | undefined): IncomingFile[] {
  const [url, name, mediaType] = [textAt(attachment, 'url'), textAt(attachment, 'name'), textAt(attachment, 'type')];
  if (url === undefined) return [];
  const kind = (['image', 'audio', 'video'] as const).find((prefix) => mediaType?.startsWith(`${prefix}/`));
  const facts = { ...(name && { name }), ...(mediaType && { mediaType }) };
  const bytes = numberAt(attachment, 'size');
  return [{ id: url, kind: kind ?? 'document', ...facts, ...(bytes !== undefined && { bytes }) }];
}
