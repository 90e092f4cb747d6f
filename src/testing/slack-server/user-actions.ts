import type { JsonObject } from '../../base/index.ts';
import { describeFile } from './methods.ts';
import type { SocketMode } from './socket-mode.ts';
import type { Chat, SlackChat, SlackUser, World } from './world.ts';

export type SlackFile = { bytes: Uint8Array; name: string; mediaType: string; isVoice?: boolean };

/** A message that a user sends. Without `channel`, it goes to the bot directly. `text` is in Slack's markup. */
export type SlackUserMessage = {
  from: SlackUser;
  channel?: SlackChat;
  text?: string;
  /** The message whose thread it belongs to. */
  threadTs?: string;
  files?: readonly SlackFile[];
  /** A message of another chat that is shared with it. */
  shares?: { author: string; text: string };
  /** The sender is a bot, such as another app. */
  isFromBot?: boolean;
};

type Place = { from: SlackUser; channel?: SlackChat };
export type SlackPress = Place & { ts: string; value: string };
export type SlackCommand = Place & { command: string; text?: string };

type Parts = { world: World; socket: SocketMode; url(): string };

/** What users do. Each of these is delivered to the app. */
export function createSlackActions(parts: Parts) {
  const chatOf = ({ from, channel }: Place) => parts.world.findChat(channel?.id ?? parts.world.directChat(from).id);
  return { ...createMessages(parts, chatOf), ...createInteractions(parts, chatOf) };
}

type ChatOf = (place: Place) => Chat;

function createMessages({ world, socket, url }: Parts, chatOf: ChatOf) {
  function pushEvent(teamId: string, event: JsonObject): void {
    const authorization = { enterprise_id: null, team_id: teamId, is_bot: true, is_enterprise_install: false };
    socket.deliveries.push('events_api', {
      team_id: teamId,
      api_app_id: 'A0000001',
      type: 'event_callback',
      event_id: world.nextId('Ev'),
      event_time: Math.floor(Date.now() / 1000),
      event,
      authorizations: [authorization],
    });
  }

  return {
    pushEvent,
    send(message: SlackUserMessage): string {
      const chat = chatOf(message);
      const raw = describeMessage(world, chat, message, url());
      const ts = raw['ts'] as string;
      chat.messages.set(ts, raw);
      // Copies, because an edit changes the message but not the event.
      pushEvent(chat.teamId, { ...raw, channel: chat.id, channel_type: chat.kind, event_ts: ts });
      // An app that receives all messages is also told about mentions.
      const isMention = world.workspaces.some(
        (each) => each.teamId === chat.teamId && message.text?.includes(each.mention),
      );
      if (chat.kind === 'channel' && isMention) {
        pushEvent(chat.teamId, { ...raw, type: 'app_mention', channel: chat.id, event_ts: ts });
      }
      return ts;
    },
    edit({ ts, text, ...place }: Place & { ts: string; text: string }): void {
      const chat = chatOf(place);
      const raw = chat.messages.get(ts);
      if (raw === undefined) throw new Error(`There is no message ${ts}.`);
      const previous = { ...raw };
      const now = world.nextTime();
      Object.assign(raw, { text, edited: { user: place.from.id, ts: now } });
      const event = { type: 'message', subtype: 'message_changed', hidden: true, ts: now, event_ts: now };
      const where = { channel: chat.id, channel_type: chat.kind };
      pushEvent(chat.teamId, { ...event, ...where, message: { ...raw }, previous_message: previous });
    },
    remove({ ts, ...place }: Place & { ts: string }): void {
      const chat = chatOf(place);
      const previous = chat.messages.get(ts) ?? null;
      chat.messages.delete(ts);
      const now = world.nextTime();
      const event = { type: 'message', subtype: 'message_deleted', hidden: true, ts: now, event_ts: now };
      const where = { channel: chat.id, channel_type: chat.kind };
      pushEvent(chat.teamId, { ...event, ...where, deleted_ts: ts, previous_message: previous });
    },
  };
}

function createInteractions({ world, socket }: Parts, chatOf: ChatOf) {
  return {
    press({ ts, value, ...place }: SlackPress): void {
      const chat = chatOf(place);
      const message = chat.messages.get(ts);
      const blocks = (message?.['blocks'] ?? []) as JsonObject[];
      const elements = blocks.flatMap((block) => (block['elements'] ?? []) as JsonObject[]);
      const button = elements.find((element) => element['type'] === 'button' && element['value'] === value);
      if (message === undefined || button === undefined) throw new Error(`Message ${ts} has no button ${value}.`);
      socket.deliveries.push('interactive', {
        type: 'block_actions',
        team: { id: chat.teamId },
        user: { id: place.from.id, username: place.from.name, team_id: chat.teamId },
        channel: { id: chat.id },
        message: { ...message },
        container: { type: 'message', message_ts: ts, channel_id: chat.id, is_ephemeral: false },
        trigger_id: world.nextId('trigger-'),
        actions: [{ ...button, action_ts: world.nextTime() }],
      });
    },
    command({ command, text = '', ...place }: SlackCommand): void {
      const chat = chatOf(place);
      socket.deliveries.push('slash_commands', {
        command,
        text,
        team_id: chat.teamId,
        channel_id: chat.id,
        channel_name: chat.kind === 'im' ? 'directmessage' : chat.name,
        user_id: place.from.id,
        user_name: place.from.name,
        trigger_id: world.nextId('trigger-'),
      });
    },
  };
}

function describeMessage(world: World, chat: Chat, message: SlackUserMessage, url: string): JsonObject {
  const { from, text = '', threadTs, files = [], shares, isFromBot } = message;
  const raw: JsonObject = { type: 'message', user: from.id, text, ts: world.nextTime(), team: chat.teamId };
  raw['client_msg_id'] = world.nextId('m');
  if (threadTs !== undefined) {
    raw['thread_ts'] = threadTs;
    raw['parent_user_id'] = chat.messages.get(threadTs)?.['user'] ?? '';
  }
  if (isFromBot) raw['bot_id'] = 'B0OTHER';
  if (files.length > 0) {
    raw['subtype'] = 'file_share';
    raw['files'] = files.map((file) => describeSent(world, file, url));
  }
  if (shares !== undefined) {
    raw['attachments'] = [{ is_share: true, author_name: shares.author, text: shares.text, ts: '1.1' }];
  }
  return raw;
}

function describeSent(world: World, { bytes, name, mediaType, isVoice }: SlackFile, url: string): JsonObject {
  const file = world.addFile({ name, mediaType, bytes, length: bytes.length });
  const described = describeFile(file, url);
  return isVoice ? { ...described, subtype: 'slack_audio' } : described;
}
