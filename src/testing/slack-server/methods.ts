import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { addMessage, findOwn, show } from './bot-messages.ts';
import { checkContent, showText } from './check-blocks.ts';
import { SlackError } from './slack-error.ts';
import { STREAM_METHODS } from './stream-methods.ts';
import type { SlackMessage, SlackWorkspace, World } from './world.ts';

export type MethodContext = {
  world: World;
  /** The workspace of the token. */
  workspace: SlackWorkspace;
  /** The address of the server. */
  url: string;
  /** Called with each new message of the bot. */
  onMessage(message: SlackMessage): void;
  /** Messages that only one user sees. */
  ephemeral: { channel: string; user: string; text: string; threadTs: string | undefined }[];
  statuses: { channel: string; threadTs: string; status: string }[];
};

export type Method = { accepts: readonly string[]; run(parameters: JsonObject, context: MethodContext): JsonObject };

const MAX_PAGE = 999;

/** The methods of the Web API that the server has, with the parameters that they accept. */
export const METHODS: Readonly<Record<string, Method>> = {
  'auth.test': {
    accepts: [],
    run: (_, { workspace: { teamId, bot }, url }) => ({
      url: `${url}/`,
      team: 'Test',
      team_id: teamId,
      user: bot.name,
      user_id: bot.userId,
      bot_id: bot.botId,
      is_enterprise_install: false,
    }),
  },
  'chat.postMessage': {
    accepts: ['channel', 'text', 'blocks', 'thread_ts', 'metadata', 'unfurl_links', 'unfurl_media'],
    run(parameters, context) {
      const chat = context.world.findForBot(context.workspace.teamId, parameters['channel']);
      const content = checkContent(parameters);
      const message = addMessage(context, chat, { ...content, thread: parameters['thread_ts'] });
      const metadata = parameters['metadata'];
      if (metadata !== undefined) message['metadata'] = checkMetadata(metadata);
      context.onMessage(show(context.world, chat, message));
      return { channel: chat.id, ts: message['ts'] as string, message: { ...message } };
    },
  },
  'chat.update': {
    accepts: ['channel', 'ts', 'text', 'blocks'],
    run(parameters, context) {
      const { chat, message } = findOwn(parameters, context, 'update');
      Object.assign(message, checkContent(parameters), {
        edited: { user: message['user'], ts: context.world.nextTime() },
      });
      show(context.world, chat, message);
      return { channel: chat.id, ts: message['ts'] as string, text: message['text'] as string };
    },
  },
  'chat.delete': {
    accepts: ['channel', 'ts'],
    run(parameters, context) {
      const { chat, message } = findOwn(parameters, context, 'delete');
      chat.messages.delete(message['ts'] as string);
      chat.shown.delete(message['ts'] as string);
      return { channel: chat.id, ts: message['ts'] as string };
    },
  },
  ...STREAM_METHODS,
  'chat.postEphemeral': {
    accepts: ['channel', 'user', 'text', 'blocks', 'thread_ts'],
    run(parameters, { world, workspace, ephemeral }) {
      const chat = world.findForBot(workspace.teamId, parameters['channel']);
      const { text, blocks } = checkContent(parameters);
      const { user, thread_ts: thread } = parameters;
      if (typeof user !== 'string' || !world.users.has(user)) throw new SlackError('user_not_in_channel');
      const threadTs = typeof thread === 'string' ? thread : undefined;
      ephemeral.push({ channel: chat.id, user, text: showText(text, blocks), threadTs });
      return { message_ts: world.nextTime() };
    },
  },
  'conversations.info': {
    accepts: ['channel'],
    run({ channel }, { world, workspace }) {
      const { id, name, kind } = world.findForBot(workspace.teamId, channel);
      return { channel: { id, name: kind === 'im' ? '' : name, is_im: kind === 'im', is_channel: kind === 'channel' } };
    },
  },
  'conversations.history': {
    accepts: ['channel', 'oldest', 'limit', 'cursor', 'include_all_metadata'],
    run(parameters, { world, workspace }) {
      const chat = world.findForBot(workspace.teamId, parameters['channel']);
      // Replies are only in their threads, and the newest message comes first.
      const messages = [...chat.messages.values()].filter(
        ({ thread_ts: thread, ts }) => thread === undefined || thread === ts,
      );
      return paginate(messages.reverse(), parameters);
    },
  },
  'conversations.replies': {
    accepts: ['channel', 'ts', 'oldest', 'limit', 'cursor', 'include_all_metadata'],
    run(parameters, { world, workspace }) {
      const chat = world.findForBot(workspace.teamId, parameters['channel']);
      const parent = parameters['ts'];
      if (typeof parent !== 'string' || !chat.messages.has(parent)) throw new SlackError('thread_not_found');
      const messages = [...chat.messages.values()].filter(({ ts, thread_ts }) => ts === parent || thread_ts === parent);
      return paginate(messages, parameters);
    },
  },
  'users.info': {
    accepts: ['user'],
    run({ user }, { world }) {
      const found = typeof user === 'string' ? world.users.get(user) : undefined;
      if (found === undefined) throw new SlackError('user_not_found');
      return { user: { id: found.id, name: found.name, profile: { display_name: found.name, real_name: found.name } } };
    },
  },
  'reactions.get': {
    accepts: ['channel', 'timestamp', 'full'],
    run: (parameters, context) => ({ type: 'message', message: { ...findAny(parameters, context) } }),
  },
  'reactions.add': { accepts: ['channel', 'timestamp', 'name'], run: (...call) => setReaction(call, true) },
  'reactions.remove': { accepts: ['channel', 'timestamp', 'name'], run: (...call) => setReaction(call, false) },
  'assistant.threads.setStatus': {
    accepts: ['channel_id', 'thread_ts', 'status'],
    run({ channel_id: channel, thread_ts: thread, status }, { world, workspace, statuses }) {
      const chat = world.findForBot(workspace.teamId, channel);
      if (typeof thread !== 'string' || !chat.messages.has(thread)) throw new SlackError('invalid_thread_ts');
      if (typeof status !== 'string') throw new SlackError('invalid_arguments');
      statuses.push({ channel: chat.id, threadTs: thread, status });
      return {};
    },
  },
  'files.getUploadURLExternal': {
    accepts: ['filename', 'length'],
    run({ filename, length }, { world, url }) {
      const bytes = Number(length);
      if (typeof filename !== 'string' || filename === '' || !(bytes > 0)) throw new SlackError('invalid_arguments');
      const { id } = world.addFile({ name: filename, mediaType: '', bytes: undefined, length: bytes });
      return { upload_url: `${url}/upload/v1/${id}`, file_id: id };
    },
  },
  'files.completeUploadExternal': {
    accepts: ['files', 'channel_id', 'thread_ts', 'initial_comment'],
    run: (parameters, context) => shareFile(parameters, context),
  },
  'files.info': {
    accepts: ['file'],
    run({ file }, { world, url }) {
      const found = typeof file === 'string' ? world.files.get(file) : undefined;
      if (found === undefined) throw new SlackError('file_not_found');
      return { file: describeFile(found, url) };
    },
  },
  'files.delete': {
    accepts: ['file'],
    run({ file }, { world }) {
      if (typeof file !== 'string' || !world.files.delete(file)) throw new SlackError('file_not_found');
      return {};
    },
  },
};

export function describeFile(
  file: { id: string; name: string; mediaType: string; length: number },
  url: string,
): JsonObject {
  const address = `${url}/files-pri/${file.id}/${encodeURIComponent(file.name)}`;
  const { id, name, mediaType: mimetype, length: size } = file;
  return { id, name, title: name, mimetype, size, mode: 'hosted', url_private: address, url_private_download: address };
}

function checkMetadata(metadata: JsonValue): JsonObject {
  const isValid =
    isJsonObject(metadata) && typeof metadata['event_type'] === 'string' && isJsonObject(metadata['event_payload']);
  if (!isValid) throw new SlackError('invalid_metadata_format');
  return metadata;
}

function findAny({ channel, timestamp }: JsonObject, { world, workspace }: MethodContext): JsonObject {
  const message = world.findForBot(workspace.teamId, channel).messages.get(timestamp as string);
  if (message === undefined) throw new SlackError('message_not_found');
  return message;
}

function paginate(messages: readonly JsonObject[], { oldest = '0', limit = 100, cursor }: JsonObject): JsonObject {
  const recent = messages.filter(({ ts }) => Number(ts) > Number(oldest));
  const size = Math.min(Number(limit), MAX_PAGE);
  const start = typeof cursor === 'string' ? Number(Buffer.from(cursor, 'base64').toString()) : 0;
  if (!(size > 0) || Number.isNaN(start)) throw new SlackError(size > 0 ? 'invalid_cursor' : 'invalid_limit');
  const end = start + size;
  const next = end < recent.length ? Buffer.from(String(end)).toString('base64') : '';
  const page = recent.slice(start, end).map((message) => ({ ...message }));
  return { messages: page, has_more: next !== '', response_metadata: { next_cursor: next } };
}

/** Some of the reactions that Slack has. */
const EMOJI = ['eyes', 'white_check_mark', 'x', 'hourglass_flowing_sand', '+1', '-1', 'heart', 'tada', 'warning'];

function setReaction([parameters, context]: Parameters<Method['run']>, isSet: boolean): JsonObject {
  const message = findAny(parameters, context);
  const { name } = parameters;
  const { userId } = context.workspace.bot;
  if (typeof name !== 'string' || !EMOJI.includes(name)) throw new SlackError('invalid_name');
  const reactions = (message['reactions'] ?? []) as JsonObject[];
  const hasIt = reactions.some((reaction) => reaction['name'] === name);
  if (hasIt === isSet) throw new SlackError(isSet ? 'already_reacted' : 'no_reaction');
  const others = reactions.filter((reaction) => reaction['name'] !== name);
  message['reactions'] = isSet ? [...others, { name, users: [userId], count: 1 }] : others;
  return {};
}

function shareFile(parameters: JsonObject, context: MethodContext): JsonObject {
  const { world, workspace } = context;
  const chat = world.findForBot(workspace.teamId, parameters['channel_id']);
  const [given] = (Array.isArray(parameters['files']) ? parameters['files'] : []).filter(isJsonObject);
  const file = world.files.get(given?.['id'] as string);
  if (file?.bytes === undefined) throw new SlackError('file_not_found');
  const text = parameters['initial_comment'] ?? '';
  if (typeof text !== 'string') throw new SlackError('invalid_arguments');
  const message = addMessage(context, chat, { text, blocks: [], thread: parameters['thread_ts'] });
  message['files'] = [{ id: file.id }];
  context.onMessage(show(world, chat, message));
  return { files: [{ id: file.id, title: file.name }] };
}
