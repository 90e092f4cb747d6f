import type { Platform } from '../../contracts/index.ts';

/** View Channels, Send Messages, Send Messages in Threads, Read Message History, Attach Files, Add Reactions. */
const DISCORD_PERMISSIONS = '274878008384';

export const discord: Platform = {
  name: 'discord',
  label: 'Discord',
  required: ['BOT_TOKEN'],
  settings: {
    BOT_TOKEN: '`platforms.discord.token`: the token of the Discord bot',
    REACTIONS: '`false`: messages on Discord get no reactions while Hermes works on them and after that',
    REPLY_TO_MODE: '`off`: answers in servers do not refer to the message that they answer',
  },
  hasGroups: true,
  display: 'personal',
  setup: {
    steps: [
      'Open https://discord.com/developers/applications and choose New Application.',
      'On the page Bot, enable Message Content Intent and save.',
      'On the same page, choose Reset Token and copy the token.',
    ],
    tokens: [{ variable: 'DISCORD_BOT_TOKEN', label: 'bot token' }],
    idHelp: 'enable Developer Mode in Discord (Settings, Advanced), and choose Copy User ID from your own menu',
    firstContact: ({ account }) =>
      `Add the bot to your server: https://discord.com/oauth2/authorize?client_id=${account.replace('discord:', '')}&scope=bot+applications.commands&permissions=${DISCORD_PERMISSIONS}`,
  },
  async open(settings) {
    const { createDiscordChannel } = await import('./discord-channel.ts');
    const { toDiscordOptions } = await import('./settings.ts');
    return [createDiscordChannel(toDiscordOptions(settings))];
  },
};
