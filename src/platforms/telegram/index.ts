import type { Platform } from '../../contracts/index.ts';

export const telegram: Platform = {
  name: 'telegram',
  label: 'Telegram',
  required: ['BOT_TOKEN'],
  settings: {
    BOT_TOKEN: '`platforms.telegram.token`: the token of the Telegram bot',
    REACTIONS: '`true`: messages on Telegram get 👀 while Hermes works on them, and 👍 or 👎 after that',
    WEBHOOK_URL:
      'The public https URL to which Telegram sends messages, instead of being polled. A proxy passes them on to the port',
    WEBHOOK_PORT: 'The port on which the gateway waits for them. Default: 8443',
    WEBHOOK_HOST: 'The address on which it listens. Default: 127.0.0.1',
    WEBHOOK_SECRET: 'What Telegram sends as proof with each message. Default: derived from the token of the bot',
  },
  hasGroups: true,
  display: 'personal',
  hasNoReactions: true,
  setup: {
    steps: [
      'Open https://t.me/BotFather in Telegram and send /newbot.',
      'Choose a name, and a user name that ends in "bot".',
      'Copy the token from the answer, which looks like 123456789:ABC….',
    ],
    tokens: [
      {
        variable: 'TELEGRAM_BOT_TOKEN',
        label: 'bot token',
        form: { pattern: /^\d+:[\w-]+$/, hint: 'A bot token looks like 123456789:ABC…' },
      },
    ],
    idHelp: 'write to @userinfobot on Telegram to see your id',
    hasUserChats: true,
    firstContact: ({ name }) => `Write to your bot: https://t.me/${name.replace('@', '')}`,
  },
  async open(settings) {
    const { createTelegramChannel } = await import('./telegram-channel.ts');
    const { toTelegramOptions } = await import('./settings.ts');
    return [createTelegramChannel(toTelegramOptions(settings))];
  },
};
