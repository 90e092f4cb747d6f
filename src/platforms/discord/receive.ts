import type { JsonObject } from '../../base/index.ts';
import { systemClock } from '../../base/index.ts';
import { ChannelError, type ChannelEvent, type ReceiveOptions } from '../../contracts/index.ts';
import { numberAt, objectAt, textAt } from '../json-fields.ts';
import { createDispatchQueue, type DispatchQueue } from './dispatch-queue.ts';
import {
  connectGateway,
  type ConnectionEnd,
  type Dispatch,
  type GatewayConnection,
  type GatewaySession,
  isSocketUrl,
} from './gateway-connection.ts';
import { type Interaction, readDispatch } from './read-dispatch.ts';
import { type MessageReader, readMessage } from './read-message.ts';
import type { RestClient } from './rest-client.ts';

export type GatewayOptions = ReceiveOptions & {
  token: string;
  rest: RestClient;
  reader: MessageReader;
  /** A connection without a message for this time is dead. */
  silenceMs: number;
  /** How long to wait before a new session is started instead of one that was lost. */
  identifyMs: number;
  /** Called with the number of events that wait to be stored. */
  onQueued(count: number): void;
  /** Called after an interaction is stored. */
  onInteraction(interaction: Interaction): void;
};

/** The session, and the last message that was read of each channel in which the bot was addressed. */
type Position = { session: GatewaySession | undefined; channels: Map<string, string> };

const BATCH = 500;
/** With more events that are not stored, the connection ends; Discord sends them again afterwards. */
export const MAX_QUEUED = 20_000;
/** After more connections in a row without an event, the account runner waits before the next one. */
const MAX_RECONNECTS = 5;

/**
 * Receives events until the signal is aborted. A session is resumed after the last stored event. If Discord no longer
 * knows it, a new one is started, and the messages in between are fetched.
 */
export async function receiveEvents(options: GatewayOptions): Promise<void> {
  const { signal } = options;
  const position = readCursor(options.cursor);
  for (let reconnects = 0; !signal.aborted; reconnects += 1) {
    const url = await findGateway(options, position);
    const before = position.session?.sequence;
    const end = await runConnection(options, position, url);
    if (signal.aborted) return;
    if (end === 'session_lost') {
      position.session = undefined;
      await systemClock.sleep(options.identifyMs, signal);
    }
    if (before !== position.session?.sequence) reconnects = 0;
    if (reconnects >= MAX_RECONNECTS)
      throw new ChannelError('transient', 'Discord ended several connections in a row.');
  }
}

/** The address of the gateway. The token is checked, and so is whether a new session may be started. */
async function findGateway({ rest, signal }: GatewayOptions, { session }: Position): Promise<string> {
  const call = { what: 'finding the gateway', isRepeatable: true };
  const found = (await rest.call(call, (api) => api.gateway.getBot({ signal }))) as unknown as JsonObject;
  const [url, limit] = [textAt(found, 'url') ?? '', objectAt(found, 'session_start_limit')];
  if (!isSocketUrl(url)) throw new ChannelError('transient', 'Discord: the address of the gateway is not valid.');
  if (session === undefined && numberAt(limit, 'remaining') === 0) {
    const retryAfterMs = numberAt(limit, 'reset_after') ?? 0;
    throw new ChannelError('rate_limited', 'The bot has connected to Discord too often today.', { retryAfterMs });
  }
  return url;
}

async function runConnection(options: GatewayOptions, position: Position, url: string): Promise<ConnectionEnd> {
  const { token, rest, silenceMs, signal } = options;
  const queue = createDispatchQueue(position.session?.sequence ?? 0);
  const agent = await rest.agentFor(position.session?.url ?? url);
  const connection = connectGateway({
    token,
    url,
    agent,
    session: position.session,
    silenceMs,
    onDispatch(dispatch) {
      queue.add(dispatch);
      options.onQueued(queue.size);
      if (queue.size > MAX_QUEUED)
        connection.fail(new ChannelError('transient', 'Events arrive faster than they are stored.'));
    },
    onAlive: () => options.onAlive(),
  });
  const close = () => connection.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  try {
    return await storeEvents(options, position, { connection, queue });
  } finally {
    signal.removeEventListener('abort', close);
    close();
    options.onQueued(0);
  }
}

type Running = { connection: GatewayConnection; queue: DispatchQueue };

/** Stores events as long as the connection works. What arrived before its end is stored, too. */
async function storeEvents(options: GatewayOptions, position: Position, running: Running): Promise<ConnectionEnd> {
  const { connection, queue } = running;
  for (;;) {
    const end = await Promise.race([
      queue.wait().then(() => undefined),
      connection.ended.catch((error: unknown) => ({ error })),
    ]);
    if (options.signal.aborted) return 'reconnect';
    const batch = queue.take(BATCH);
    options.onQueued(queue.size);
    if (batch.length > 0) await storeBatch(options, position, { connection, batch });
    else if (typeof end === 'string') return end;
    else if (end !== undefined) throw end.error;
  }
}

async function storeBatch(
  { reader, rest, signal, deliver, onAlive, onInteraction }: GatewayOptions,
  position: Position,
  { connection, batch }: { connection: GatewayConnection; batch: readonly Dispatch[] },
): Promise<void> {
  const events: ChannelEvent[] = [];
  const interactions: Interaction[] = [];
  for (const dispatch of batch) {
    // A new session starts with this; what happened before it must be fetched.
    if (dispatch.name === 'READY') events.push(...(await fetchMissed(rest, reader, position, signal)));
    const read = await readDispatch(dispatch, reader, signal);
    events.push(...read.events);
    if (read.interaction !== undefined) interactions.push(read.interaction);
  }
  const sequence = batch.at(-1)?.sequence ?? 0;
  const session = connection.session && { ...connection.session, sequence };
  const channels = new Map(position.channels);
  for (const event of events) rememberChannel(channels, event);
  await deliver(events, toCursor({ session, channels }));
  Object.assign(position, { session, channels });
  connection.acknowledge(sequence);
  // The first heartbeat comes much later.
  if (batch.some(({ name }) => name === 'READY' || name === 'RESUMED')) onAlive();
  for (const interaction of interactions) onInteraction(interaction);
}

/** The channels whose missed messages are fetched. */
const MAX_CHANNELS = 200;

function rememberChannel(channels: Map<string, string>, { kind, source, content }: ChannelEvent): void {
  const { chatId } = source;
  const known = channels.get(chatId);
  if (kind !== 'message' || (known === undefined && !content.isAddressed)) return;
  channels.delete(chatId);
  channels.set(chatId, known !== undefined && BigInt(known) > BigInt(content.messageId) ? known : content.messageId);
  const [oldest] = channels.keys();
  if (channels.size > MAX_CHANNELS && oldest !== undefined) channels.delete(oldest);
}

const PAGE = 100;
/** At most this many messages of a channel are fetched. */
const MAX_PAGES = 10;

async function fetchMissed(
  rest: RestClient,
  reader: MessageReader,
  { channels }: Position,
  signal: AbortSignal,
): Promise<ChannelEvent[]> {
  const missed: { id: bigint; event: ChannelEvent }[] = [];
  for (const [channelId, last] of channels) {
    const place = await reader.places.find(channelId, signal);
    for (const raw of await fetchAfter(rest, { channelId, last, signal })) {
      const event = readMessage(raw, place, { kind: 'message', reader });
      if (event !== undefined) missed.push({ id: BigInt(event.content.messageId), event });
    }
  }
  // Ids contain the time of a message.
  return missed.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ event }) => event);
}

async function fetchAfter(
  rest: RestClient,
  { channelId, last, signal }: { channelId: string; last: string; signal: AbortSignal },
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  let after = last;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const call = { what: 'fetching missed messages', isRepeatable: true };
    const got = await rest
      .call(call, (api) => api.channels.getMessages(channelId, { after, limit: PAGE }, { signal }))
      .catch((error: unknown) => {
        // The bot left the server, or the channel was deleted.
        if (error instanceof ChannelError && ['not_found', 'forbidden'].includes(error.fault)) return [];
        throw error;
      });
    // The newest message comes first.
    const messages = (got as unknown as JsonObject[]).toReversed();
    found.push(...messages);
    const newest = textAt(messages.at(-1), 'id');
    if (messages.length < PAGE || newest === undefined) return found;
    after = newest;
  }
  return found;
}

function toCursor({ session, channels }: Position): JsonObject {
  return { ...(session && { session: { ...session } }), channels: Object.fromEntries(channels) };
}

const ID = /^\d{1,20}$/;

function readCursor(cursor: JsonObject | undefined): Position {
  const stored = objectAt(cursor, 'session');
  const [id, url, sequence] = [textAt(stored, 'id'), textAt(stored, 'url') ?? '', numberAt(stored, 'sequence')];
  const isComplete = id !== undefined && sequence !== undefined && isSocketUrl(url);
  const channels = Object.entries(objectAt(cursor, 'channels') ?? {}).filter(
    (entry): entry is [string, string] => ID.test(entry[0]) && typeof entry[1] === 'string' && ID.test(entry[1]),
  );
  return { session: isComplete ? { id, url, sequence } : undefined, channels: new Map(channels) };
}
