import type { JsonObject } from '../../base/index.ts';
import type { ChannelEvent, IncomingContent } from '../../contracts/index.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';
import type { Dispatch } from './gateway-connection.ts';
import type { Place } from './places.ts';
import { isReadChannel, type MessageReader, readMessage, sourceOf } from './read-message.ts';

/** An interaction, which must be acknowledged within three seconds. */
export type Interaction = {
  id: string;
  token: string;
  applicationId: string;
  kind: 'button' | 'command';
  name: string;
};

export type ReadDispatch = { events: ChannelEvent[]; interaction?: Interaction };

const COMMAND = 2;
const COMPONENT = 3;
const NOTHING: ReadDispatch = { events: [] };

/** The events of a dispatch; none for kinds that mean nothing to a conversation. */
export async function readDispatch(
  { name, data }: Dispatch,
  reader: MessageReader,
  signal: AbortSignal,
): Promise<ReadDispatch> {
  reader.places.learn(name, data);
  const channelId = textAt(data, 'channel_id');
  if (channelId === undefined || !/^(?:MESSAGE_(?:CREATE|UPDATE|DELETE|DELETE_BULK)|INTERACTION_CREATE)$/.test(name)) {
    return NOTHING;
  }
  if (textAt(objectAt(data, 'author'), 'id') === reader.botId) return NOTHING;
  const isDirect = textAt(data, 'guild_id') === undefined;
  const place: Place = isDirect ? { kind: 'dm' } : await reader.places.find(channelId, signal);
  if (name === 'INTERACTION_CREATE') return readInteraction(data, { channelId, place, reader });
  if (name === 'MESSAGE_DELETE' || name === 'MESSAGE_DELETE_BULK') {
    return { events: readDeletions(data, { channelId, place, reader }) };
  }
  // Discord also announces previews of links as changes of a message.
  if (name === 'MESSAGE_UPDATE' && textAt(data, 'edited_timestamp') === undefined) return NOTHING;
  const event = readMessage(data, place, { kind: name === 'MESSAGE_CREATE' ? 'message' : 'edit', reader });
  return { events: event === undefined ? [] : [event] };
}

type Where = { channelId: string; place: Place; reader: MessageReader };

/** Discord does not say whose message was deleted, so only those of direct chats can be assigned to a session. */
function readDeletions(data: JsonObject, { channelId, place, reader }: Where): ChannelEvent[] {
  const single = textAt(data, 'id');
  const several = Array.isArray(data['ids']) ? data['ids'].filter((id) => typeof id === 'string') : [];
  return [...(single === undefined ? [] : [single]), ...several].map((messageId) => ({
    id: `deletion/${messageId}`,
    kind: 'deletion',
    source: sourceOf(channelId, place, reader),
    sentAt: reader.now(),
    content: { messageId, text: '', files: [], isAddressed: place.kind === 'dm' },
  }));
}

function readInteraction(data: JsonObject, { channelId, place, reader }: Where): ReadDispatch {
  const [id, token, applicationId] = [textAt(data, 'id'), textAt(data, 'token'), textAt(data, 'application_id')];
  const user = objectAt(data, 'user') ?? objectAt(objectAt(data, 'member'), 'user');
  const userId = textAt(user, 'id');
  if (id === undefined || token === undefined || applicationId === undefined || userId === undefined) return NOTHING;
  const given = objectAt(data, 'data');
  const content = readGiven(data, given, { id, reader });
  if (content === undefined || !isReadChannel(channelId, place, reader.rules)) return NOTHING;
  const userName = textAt(user, 'global_name') ?? textAt(user, 'username');
  const name = userName === undefined ? {} : { userName };
  const event: ChannelEvent = {
    id: `interaction/${id}`,
    kind: content.action === undefined ? 'message' : 'action',
    source: { ...sourceOf(channelId, place, reader), userId, ...name },
    sentAt: reader.now(),
    content,
  };
  const kind = content.action === undefined ? 'command' : 'button';
  return { events: [event], interaction: { id, token, applicationId, kind, name: content.text.split(' ')[0] ?? '' } };
}

/** A pressed button, or a slash command as the text that a user would have written. */
function readGiven(
  data: JsonObject,
  given: JsonObject | undefined,
  { id, reader }: { id: string; reader: MessageReader },
): IncomingContent | undefined {
  const empty = { text: '', files: [], isAddressed: true };
  if (data['type'] === COMPONENT) {
    const [messageId, pressed] = [textAt(objectAt(data, 'message'), 'id'), textAt(given, 'custom_id')];
    if (messageId === undefined || pressed === undefined) return undefined;
    return { ...empty, messageId, action: { id, data: pressed, messageId } };
  }
  const name = textAt(given, 'name');
  if (data['type'] !== COMMAND || name === undefined) return undefined;
  const values = listAt(given, 'options').map((option) => textAt(option, 'value') ?? '');
  const text = [`/${reader.findCommand(name) ?? name}`, ...values].join(' ').trim();
  return { ...empty, messageId: id, text };
}
