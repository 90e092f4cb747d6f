import { createHash } from 'node:crypto';
import {
  type ChannelButton,
  ChannelError,
  type ChannelMessage,
  type ChatTarget,
  type SendOptions,
} from '../../contracts/index.ts';
import { lengthIn } from '../text/split.ts';
import { plain } from '../text/styled-text.ts';
import type { API } from './discord-protocol.ts';
import { writeMarkup } from './markup.ts';
import { MAX_TEXT } from './render.ts';
import type { RestClient } from './rest-client.ts';

/** What every bot may upload. Servers with boosts allow more. */
export const MAX_UPLOAD = 10 * 1024 * 1024;
const MAX_BUTTON_DATA = 100;
const MAX_LABEL = 80;
const PER_ROW = 5;
const MAX_ROWS = 5;
const MAX_NONCE = 25;
const SUPPRESS_EMBEDS = 1 << 2;

/** No text of a model may notify people. */
export const NO_MENTIONS = { parse: [], replied_user: false };

/** A thread is a channel of its own. */
export const channelOf = ({ chatId, threadId }: ChatTarget) => threadId ?? chatId;

type SendSettings = { linkPreviews: boolean; replies: boolean };
type Body = Parameters<API['channels']['createMessage']>[1];

/** Sends one message and returns its id. */
export async function sendMessage(
  rest: RestClient,
  message: ChannelMessage,
  { key, signal, linkPreviews, replies }: SendOptions & SendSettings,
): Promise<string> {
  const { target, content, buttons, file } = message;
  if (content === undefined && file === undefined) {
    throw new ChannelError('rejected', 'A message needs a text or a file.');
  }
  const body: Body = {
    content: file === undefined ? (content?.text ?? '') : captionOf(file.caption ?? ''),
    // Discord returns the first message if it gets the same nonce again within a few minutes.
    nonce: nonceOf(key),
    enforce_nonce: true,
    allowed_mentions: NO_MENTIONS,
  };
  if (buttons !== undefined && buttons.length > 0) body.components = toRows(buttons) as Body['components'];
  if (!linkPreviews) body.flags = SUPPRESS_EMBEDS as Body['flags'];
  // A deleted message must not prevent its answer.
  if (target.replyTo !== undefined && replies) {
    body.message_reference = { message_id: target.replyTo, fail_if_not_exists: false };
  }
  if (file !== undefined) body.files = [toUpload(file)];
  const sent = await rest.call({ what: 'sending a message' }, (api) =>
    api.channels.createMessage(channelOf(target), body, { signal }),
  );
  if (typeof sent?.id === 'string') return sent.id;
  throw new ChannelError('uncertain', 'Discord did not return the id of the sent message.');
}

export function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, MAX_NONCE);
}

function captionOf(caption: string): string {
  const markup = writeMarkup(plain(caption.toWellFormed().trim()));
  return lengthIn('codePoints', markup) <= MAX_TEXT ? markup : '';
}

function toUpload({ name, mediaType, bytes }: NonNullable<ChannelMessage['file']>) {
  if (bytes.length > MAX_UPLOAD) {
    throw new ChannelError('too_long', `${name} has ${bytes.length} bytes; bots can send 10 MB.`);
  }
  return { name: name.toWellFormed(), contentType: mediaType, data: Buffer.from(bytes) };
}

const STYLES = { primary: 1, danger: 4 } as const;

/** Rows of at most five buttons. More than five rows are filled up. */
function toRows(rows: readonly (readonly ChannelButton[])[]) {
  const fits = rows.length <= MAX_ROWS && rows.every((row) => row.length <= PER_ROW);
  const buttons = rows.flat();
  const chunks = Array.from({ length: Math.ceil(buttons.length / PER_ROW) }, (_, index) =>
    buttons.slice(index * PER_ROW, (index + 1) * PER_ROW),
  );
  if (!fits && chunks.length > MAX_ROWS) {
    throw new ChannelError('rejected', `A message has ${buttons.length} buttons; Discord allows 25.`);
  }
  return (fits ? rows : chunks).map((row) => ({ type: 1, components: row.map(toButton) }));
}

function toButton({ label, data, style }: ChannelButton) {
  if (data === '' || data.length > MAX_BUTTON_DATA) {
    throw new ChannelError(
      'rejected',
      `The data of a Discord button has ${data.length} characters; 1 to 100 are allowed.`,
    );
  }
  const shown = [...label.toWellFormed().trim()].slice(0, MAX_LABEL).join('') || '…';
  return { type: 2, style: style === undefined ? 2 : STYLES[style], label: shown, custom_id: data };
}
