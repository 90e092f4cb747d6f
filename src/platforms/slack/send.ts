import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/index.ts';
import {
  type ChannelButton,
  ChannelError,
  type ChannelMessage,
  type ChatTarget,
  type MessageContent,
  type SendOptions,
} from '../../contracts/index.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';
import { escapeText, type SlackBot } from './read-text.ts';
import { MAX_TEXT, toBlocks } from './render.ts';
import type { SlackApi } from './slack-api.ts';

/** Slack accepts 1 GB, but a file is held in memory while it is sent. */
export const MAX_UPLOAD = 100 * 1024 * 1024;
const MAX_BUTTON_DATA = 2000;
const MAX_BUTTON_LABEL = 75;
const MAX_BUTTONS_IN_ROW = 25;

type Sending = Pick<SendOptions, 'key' | 'mayHaveArrived' | 'signal'> & { bot: SlackBot; linkPreviews: boolean };

/** Sends one message and returns its id. */
export async function sendMessage(api: SlackApi, message: ChannelMessage, sending: Sending): Promise<string> {
  const { target, content, buttons = [], file } = message;
  if (file !== undefined) return sendFile(api, target, file, sending);
  if (content === undefined) throw new ChannelError('rejected', 'A message needs a text or a file.');
  const key = fingerprint(sending.key);
  const sent = sending.mayHaveArrived ? await findSent(api, target, { ...sending, key }) : undefined;
  if (sent !== undefined && sent !== 'unknown') return sent;
  const mark = sent === 'unknown' ? [{ type: 'context', elements: [{ type: 'plain_text', text: MARK }] }] : [];
  const blocks = [...mark, ...toBlocks(content), ...buttons.map(toActions)];
  const parameters = {
    ...addressOf(target),
    ...textOf(content),
    blocks,
    metadata: { event_type: METADATA, event_payload: { key } },
    unfurl_links: sending.linkPreviews,
    unfurl_media: sending.linkPreviews,
  };
  const reply = await api.call('chat.postMessage', parameters, { signal: sending.signal });
  const ts = textAt(reply, 'ts');
  if (ts === undefined) throw new ChannelError('uncertain', 'Slack did not return the id of the sent message.');
  return ts;
}

/** Where a message goes. A reply to a message is not a separate thing in Slack: it is in the thread of the message. */
export function addressOf({ chatId, threadId }: ChatTarget): JsonObject {
  return threadId === undefined ? { channel: chatId } : { channel: chatId, thread_ts: threadId };
}

/** The text for notifications and for programs that cannot show blocks. */
export function textOf({ text }: MessageContent): JsonObject {
  if (text.length > MAX_TEXT) {
    throw new ChannelError('too_long', `The text has ${text.length} characters; Slack accepts ${MAX_TEXT}.`);
  }
  return { text: escapeText(text.toWellFormed()) };
}

function toActions(row: readonly ChannelButton[], rowIndex: number): JsonObject {
  if (row.length > MAX_BUTTONS_IN_ROW) {
    throw new ChannelError('rejected', `A row has ${row.length} buttons; Slack accepts ${MAX_BUTTONS_IN_ROW}.`);
  }
  return { type: 'actions', elements: row.map((button, index) => toButton(button, `hermes-${rowIndex}-${index}`)) };
}

function toButton({ label, data, style }: ChannelButton, actionId: string): JsonObject {
  if (data === '' || data.length > MAX_BUTTON_DATA) {
    throw new ChannelError(
      'rejected',
      `The data of a Slack button has ${data.length} characters; 1 to 2000 are allowed.`,
    );
  }
  const text = label.length > MAX_BUTTON_LABEL ? `${label.slice(0, MAX_BUTTON_LABEL - 1)}…` : label;
  const button: JsonObject = {
    type: 'button',
    text: { type: 'plain_text', text: text.toWellFormed(), emoji: false },
    action_id: actionId,
    value: data,
  };
  if (style !== undefined) button['style'] = style;
  return button;
}

const METADATA = 'hermes_message';
const MARK = '(This message may have arrived already.)';

/** The key of a message names its chat, which is nobody else's business. */
function fingerprint(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** How far back the search for a message goes that may have arrived. */
const LOOKUP_MS = 7 * 24 * 3_600_000;
const PAGE = 200;
const MAX_PAGES = 10;

/** The id of a message that was sent with this key; `unknown` if the app may not look for it. */
async function findSent(api: SlackApi, target: ChatTarget, sending: Sending): Promise<string | undefined> {
  return searchHistory(api, target, sending).catch((error: unknown) => {
    if (error instanceof ChannelError && error.fault === 'forbidden') return 'unknown';
    throw error;
  });
}

async function searchHistory(
  api: SlackApi,
  target: ChatTarget,
  { key, bot, signal }: Sending,
): Promise<string | undefined> {
  const { chatId, threadId } = target;
  const place: JsonObject = threadId === undefined ? { channel: chatId } : { channel: chatId, ts: threadId };
  const oldest = String((Date.now() - LOOKUP_MS) / 1000);
  const method = threadId === undefined ? 'conversations.history' : 'conversations.replies';
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const parameters: JsonObject = { ...place, oldest, limit: PAGE, include_all_metadata: true };
    if (cursor !== undefined) parameters['cursor'] = cursor;
    const found = await api.call(method, parameters, { signal, isRepeatable: true });
    const sent = listAt(found, 'messages').find((message) => {
      const payload = objectAt(objectAt(message, 'metadata'), 'event_payload');
      return textAt(message, 'user') === bot.userId && textAt(payload, 'key') === key;
    });
    if (sent !== undefined) return textAt(sent, 'ts');
    cursor = textAt(objectAt(found, 'response_metadata'), 'next_cursor');
    if (cursor === undefined || cursor === '') return undefined;
  }
  return undefined;
}

type OutgoingFile = NonNullable<ChannelMessage['file']>;

/** Only the last of the three calls shows anything in the chat. */
async function sendFile(
  api: SlackApi,
  target: ChatTarget,
  file: OutgoingFile,
  { mayHaveArrived, signal }: Sending,
): Promise<string> {
  const { name, bytes, caption } = file;
  if (bytes.length > MAX_UPLOAD) {
    throw new ChannelError('too_long', `${name} has ${bytes.length} bytes; ${MAX_UPLOAD} are allowed.`);
  }
  const filename = name.toWellFormed();
  const place = await api.call(
    'files.getUploadURLExternal',
    { filename, length: bytes.length },
    { signal, isRepeatable: true },
  );
  const [url, id] = [textAt(place, 'upload_url'), textAt(place, 'file_id')];
  if (url === undefined || id === undefined) {
    throw new ChannelError('transient', 'Slack: the response to files.getUploadURLExternal is not valid.');
  }
  await api.upload(url, bytes, signal);
  const comment = [mayHaveArrived ? MARK : '', caption ?? ''].filter((part) => part !== '').join('\n');
  const { channel, ...thread } = addressOf(target);
  const parameters: JsonObject = { files: [{ id, title: filename }], channel_id: channel as string, ...thread };
  if (comment !== '') parameters['initial_comment'] = escapeText(comment.toWellFormed());
  await api.call('files.completeUploadExternal', parameters, { signal });
  return id;
}
