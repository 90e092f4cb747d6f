import type { Platform } from '../../contracts/index.ts';

const TLS_PORT = 6697;
const PLAIN_PORT = 6667;

export const irc: Platform = {
  name: 'irc',
  label: 'IRC',
  required: ['SERVER', 'NICKNAME'],
  settings: {
    SERVER: '`platforms.irc.token`: the host of the IRC server',
    NICKNAME: 'The nickname of the bot',
    PORT: 'The port of the IRC server. Default: 6697, or 6667 without TLS',
    USE_TLS: '`false` connects without TLS. Default: `true`',
    CHANNELS: 'The channels that the bot joins, such as `#hermes`, separated by commas',
    PASSWORD: 'The password of the IRC server',
    NICKSERV_PASSWORD: 'The password with which the bot identifies itself to NickServ',
    SASL_PASSWORD: 'The password with which the bot logs in (SASL PLAIN)',
    SASL_USERNAME: 'The account for `IRC_SASL_PASSWORD`. Default: the nickname',
  },
  hasGroups: true,
  display: 'plain',
  setup: {
    steps: [
      'Choose a server and a nickname that nobody uses.',
      'Register the nickname with NickServ if the server has it.',
    ],
    tokens: [
      { variable: 'IRC_SERVER', label: 'server', isPublic: true },
      {
        variable: 'IRC_NICKNAME',
        label: 'nickname',
        isPublic: true,
        form: { pattern: /^[A-Za-z_[\]\\`^{|}][\w[\]\\`^{|}-]{0,29}$/, hint: 'A nickname starts with a letter' },
      },
    ],
    idHelp: 'the id is `account:NAME` with an account, and `nick!user@host` without one',
    firstContact: ({ name }) => `Write to the bot: /msg ${name} hello`,
  },
  async open(settings) {
    const { createIrcChannel } = await import('./irc-channel.ts');
    const useTls = settings.readFlag('USE_TLS') ?? true;
    const nickname = settings.read('NICKNAME') ?? '';
    const read = (name: string) => settings.read(name);
    const [password, nickServPassword, saslPassword] = [
      read('PASSWORD'),
      read('NICKSERV_PASSWORD'),
      read('SASL_PASSWORD'),
    ];
    return [
      createIrcChannel({
        host: settings.token.trim(),
        port: settings.readPort('PORT', useTls ? TLS_PORT : PLAIN_PORT),
        useTls,
        nickname,
        channels: settings.readList('CHANNELS'),
        requireMention: settings.mentions.required,
        ...(password !== undefined && { password }),
        ...(nickServPassword !== undefined && { nickServPassword }),
        ...(saslPassword !== undefined && {
          sasl: { account: read('SASL_USERNAME') ?? nickname, password: saslPassword },
        }),
      }),
    ];
  },
};
