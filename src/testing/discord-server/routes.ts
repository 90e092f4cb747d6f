import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { UploadedFile } from '../telegram-server/read-call.ts';
import { ApiError, invalidField } from './api-error.ts';
import { checkCommands, checkComponents, checkContent, checkNonce, findPings } from './check-message.ts';
import { visibleText } from './visible-text.ts';
import { addRaw, BOT, type Channel, type DiscordMessage, type World } from './world.ts';

export type RouteContext = {
  world: World;
  /** The address of this server. */
  url: string;
  /** Called with each new message of the bot. */
  onMessage(message: DiscordMessage, raw: JsonObject): void;
  typing: string[];
  commands: JsonObject[];
  /** The answers to interactions. */
  answers: InteractionAnswer[];
  /** Open interactions by their token. */
  interactions: Map<string, { id: string; isAnswered: boolean }>;
  nonces: Map<string, JsonObject>;
  /** How often the bot may still identify. */
  remainingStarts(): number;
};

export type InteractionAnswer = { id: string; type: number; text: string; isEphemeral: boolean };

export type RouteCall = {
  /** The parts of the path that are ids. */
  ids: readonly string[];
  query: URLSearchParams;
  body: JsonValue | undefined;
  files: readonly UploadedFile[];
};

type Route = {
  pattern: RegExp;
  /** How the route is called in tests, such as `POST /channels/:id/messages`. */
  name: string;
  /** Interactions and files are not authenticated by the token of the bot. */
  isOpen?: true;
  run(call: RouteCall, context: RouteContext): JsonValue | undefined;
};

const MAX_UPLOAD = 10 * 1024 * 1024;
const EPHEMERAL = 1 << 6;

const route = (name: string, run: Route['run'], isOpen?: true): Route => {
  const [method = '', path = ''] = name.split(' ');
  const pattern = new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '([^/]+)')}$`);
  return isOpen ? { pattern, name, isOpen, run } : { pattern, name, run };
};

/** The routes of the API that the server has. */
export const ROUTES: readonly Route[] = [
  route('GET /users/@me', () => ({ ...BOT })),
  route('GET /gateway/bot', (_, { url, remainingStarts }) => ({
    url: `${url.replace(/^http/, 'ws')}/gateway`,
    shards: 1,
    session_start_limit: { total: 1000, remaining: remainingStarts(), reset_after: 3_600_000, max_concurrency: 1 },
  })),
  route('GET /channels/:id', ({ ids: [id = ''] }, { world }) => findOpen(world, id).object),
  route('GET /channels/:id/messages', listMessages),
  route('GET /channels/:id/messages/:message', ({ ids }, { world }) => findRaw(world, ids).raw),
  route('POST /channels/:id/messages', createMessage),
  route('PATCH /channels/:id/messages/:message', editMessage),
  route('DELETE /channels/:id/messages/:message', ({ ids }, { world }) => {
    const { channel, raw } = findRaw(world, ids);
    channel.raw.delete(raw['id'] as string);
    channel.sent.delete(raw['id'] as string);
    return undefined;
  }),
  route('POST /channels/:id/typing', ({ ids: [id = ''] }, { world, typing }) => {
    findOpen(world, id);
    typing.push(id);
    return undefined;
  }),
  route('PUT /channels/:id/messages/:message/reactions/:emoji/@me', ({ ids }, { world }) => {
    const { raw } = findRaw(world, ids);
    raw['reactions'] = [
      ...withoutReaction(raw, ids[2]),
      { emoji: { id: null, name: ids[2] ?? '' }, count: 1, me: true },
    ];
    return undefined;
  }),
  route('DELETE /channels/:id/messages/:message/reactions/:emoji/@me', ({ ids }, { world }) => {
    const { raw } = findRaw(world, ids);
    raw['reactions'] = withoutReaction(raw, ids[2]);
    return undefined;
  }),
  route('PUT /applications/:id/commands', ({ ids, body }, { commands }) => {
    if (ids[0] !== BOT.id) throw new ApiError(403, 20_012, 'You are not authorized to perform this action.');
    commands.splice(0, commands.length, ...checkCommands(body));
    return commands;
  }),
  route('POST /interactions/:id/:token/callback', answerInteraction, true),
  route('POST /webhooks/:id/:token', followUp, true),
];

function findOpen(world: World, id: string): Channel {
  if (!/^\d{1,20}$/.test(id)) throw invalidField('channel_id', 'NUMBER_TYPE_COERCE', 'Value is not snowflake.');
  const channel = world.find(id);
  if (channel.state === 'forbidden') throw new ApiError(403, 50_001, 'Missing Access');
  return channel;
}

function findRaw(world: World, [channelId = '', messageId = '']: readonly string[]) {
  const channel = findOpen(world, channelId);
  const raw = channel.raw.get(messageId);
  if (raw === undefined) throw new ApiError(404, 10_008, 'Unknown Message');
  return { channel, raw };
}

function listMessages({ ids: [id = ''], query }: RouteCall, { world }: RouteContext): JsonValue {
  const limit = Number(query.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidField('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
  }
  const after = BigInt(query.get('after') ?? 0);
  const newer = [...findOpen(world, id).raw.values()].filter((raw) => BigInt(raw['id'] as string) > after);
  // With `after`, the oldest of these; without, the newest. The newest comes first in both cases.
  return (query.has('after') ? newer.slice(0, limit) : newer.slice(-limit)).toReversed();
}

function createMessage({ ids: [id = ''], body, files }: RouteCall, context: RouteContext): JsonValue {
  const { world, nonces } = context;
  const channel = findOpen(world, id);
  if (!isJsonObject(body)) throw new ApiError(400, 50_109, 'The request body contains invalid JSON.');
  const content = checkContent(body, files.length > 0);
  const nonce = checkNonce(body);
  const known = nonce !== undefined && body['enforce_nonce'] === true ? nonces.get(nonce) : undefined;
  if (known !== undefined) return known;
  const buttons = checkComponents(body['components']);
  const pings = findPings(content, body['allowed_mentions']);
  const replyTo = checkReference(channel, body['message_reference']);
  const size = files.reduce((total, { bytes }) => total + bytes.length, 0);
  if (size > MAX_UPLOAD) throw new ApiError(413, 40_005, 'Request entity too large');
  const flags = typeof body['flags'] === 'number' ? body['flags'] : 0;
  const raw = addRaw(world, channel, { ...BOT }, { content, flags, attachments: describeFiles(context, files) });
  if (nonce !== undefined) {
    raw['nonce'] = nonce;
    nonces.set(nonce, raw);
  }
  if (body['components'] !== undefined) raw['components'] = body['components'];
  const message: DiscordMessage = {
    id: raw['id'] as string,
    channelId: id,
    content,
    text: visibleText(content),
    buttons,
    replyTo,
    files: files.map(({ name, mediaType, bytes }) => ({ name, mediaType, bytes })),
    pings,
    isEdited: false,
    flags,
  };
  channel.sent.set(message.id, message);
  context.onMessage(message, raw);
  return raw;
}

function checkReference(channel: Channel, reference: JsonValue | undefined): string | undefined {
  if (reference === undefined) return undefined;
  const id = isJsonObject(reference) ? reference['message_id'] : undefined;
  if (typeof id !== 'string' || !/^\d+$/.test(id)) {
    throw invalidField('message_reference', 'NUMBER_TYPE_COERCE', 'Value is not snowflake.');
  }
  if (channel.raw.has(id)) return id;
  if (isJsonObject(reference) && reference['fail_if_not_exists'] === false) return undefined;
  throw invalidField('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
}

/** Adds files to the server and describes them as attachments. */
export function describeFiles(
  { world, url }: Pick<RouteContext, 'world' | 'url'>,
  files: readonly { name: string; mediaType: string; bytes: Buffer }[],
): JsonObject[] {
  return files.map(({ name, mediaType, bytes }) => {
    const id = world.nextId();
    world.files.set(id, bytes);
    const address = `${url}/attachments/${id}/${encodeURIComponent(name)}?ex=signature`;
    return { id, filename: name, content_type: mediaType, size: bytes.length, url: address, proxy_url: address };
  });
}

function editMessage({ ids, body, files }: RouteCall, { world }: RouteContext): JsonValue {
  const { channel, raw } = findRaw(world, ids);
  const message = channel.sent.get(raw['id'] as string);
  if (message === undefined) throw new ApiError(403, 50_005, 'Cannot edit a message authored by another user');
  if (!isJsonObject(body)) throw new ApiError(400, 50_109, 'The request body contains invalid JSON.');
  const content = checkContent(body, files.length > 0 || message.files.length > 0);
  const pings = findPings(content, body['allowed_mentions']);
  const changes: Partial<DiscordMessage> = { content, text: visibleText(content), isEdited: true };
  if (body['components'] !== undefined) changes.buttons = checkComponents(body['components']);
  Object.assign(message, changes, { pings: [...message.pings, ...pings] });
  Object.assign(raw, { content, edited_timestamp: new Date().toISOString() });
  return raw;
}

function withoutReaction(raw: JsonObject, emoji = ''): JsonObject[] {
  if (!/\p{Extended_Pictographic}/u.test(emoji)) throw new ApiError(400, 10_014, 'Unknown Emoji');
  const reactions = Array.isArray(raw['reactions']) ? raw['reactions'].filter(isJsonObject) : [];
  return reactions.filter((reaction) => !isJsonObject(reaction['emoji']) || reaction['emoji']['name'] !== emoji);
}

function answerInteraction(
  { ids: [id = '', token = ''], body }: RouteCall,
  { interactions, answers }: RouteContext,
): JsonValue | undefined {
  const open = interactions.get(token);
  if (open === undefined || open.id !== id) throw new ApiError(404, 10_062, 'Unknown interaction');
  if (open.isAnswered) throw new ApiError(400, 40_060, 'Interaction has already been acknowledged.');
  const type = isJsonObject(body) ? body['type'] : undefined;
  if (![4, 5, 6, 7].includes(type as number)) throw invalidField('type', 'BASE_TYPE_CHOICES', 'Unknown type.');
  open.isAnswered = true;
  const data = isJsonObject(body) && isJsonObject(body['data']) ? body['data'] : {};
  const text = type === 4 ? checkContent(data, false) : '';
  answers.push({ id, type: type as number, text, isEphemeral: isEphemeral(data) });
  return undefined;
}

function followUp({ ids: [app, token = ''], body }: RouteCall, context: RouteContext): JsonValue {
  const open = app === BOT.id ? context.interactions.get(token) : undefined;
  if (open === undefined || !open.isAnswered) throw new ApiError(404, 10_015, 'Unknown Webhook');
  if (!isJsonObject(body)) throw new ApiError(400, 50_109, 'The request body contains invalid JSON.');
  const text = checkContent(body, false);
  context.answers.push({ id: open.id, type: 4, text, isEphemeral: isEphemeral(body) });
  return { id: context.world.nextId(), content: text };
}

const isEphemeral = ({ flags }: JsonObject) => typeof flags === 'number' && (flags & EPHEMERAL) !== 0;
