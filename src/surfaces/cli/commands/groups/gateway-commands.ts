import { type CommandCall, type CommandRow, type Json, JSON_OPTION } from '../command-row.ts';

const GROUP = 'Messaging:';
const PLATFORM = { form: '<platform>', about: 'a platform, such as telegram' };

/** The commands of the messaging gateway. */
export const GATEWAY_COMMANDS: readonly CommandRow[] = [
  {
    name: 'gateway',
    group: GROUP,
    about: 'talk to Hermes from chats, such as Telegram, Discord and Slack',
    examples: ['hermes gateway run'],
    commands: [
      {
        name: 'run',
        about: 'connect to the configured platforms and answer messages, until Ctrl-C',
        notes:
          'Set TELEGRAM_BOT_TOKEN, DISCORD_BOT_TOKEN, or SLACK_BOT_TOKEN and SLACK_APP_TOKEN first. Strangers get a pairing code, which `hermes pairing approve` accepts. Messages are stored before they are acknowledged to the platform, and answers before they are sent; both are taken up again at the next start.',
        examples: ['hermes gateway run'],
        run: async ({ run }: CommandCall) => (await import('../../gateway/run.ts')).runGatewayCommand(run),
      },
    ],
  },
  {
    name: 'pairing',
    group: GROUP,
    about: 'let users of chats use the bot, with the codes that it sent them',
    summary: 'let people use the bot of the gateway',
    examples: ['hermes pairing list', 'hermes pairing approve telegram ABCD2345'],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        about: 'list open requests and approved people',
        options: [JSON_OPTION],
        examples: ['hermes pairing list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../gateway/pairing.ts')).listPairing(options, io),
      },
      {
        name: 'approve',
        about: 'let the user with this code use the bot',
        arguments: [PLATFORM, { form: '<code>', about: 'the pairing code' }],
        examples: ['hermes pairing approve telegram ABCD2345'],
        run: async ({ values: [platform, code], io }: CommandCall<object, [string, string]>) =>
          (await import('../../gateway/pairing.ts')).approvePairing(platform, code, io),
      },
      {
        name: 'revoke',
        about: 'no longer let a user use the bot',
        arguments: [PLATFORM, { form: '<user>', about: 'the id that `hermes pairing list` shows' }],
        examples: ['hermes pairing revoke telegram 123456789'],
        run: async ({ values: [platform, user], io }: CommandCall<object, [string, string]>) =>
          (await import('../../gateway/pairing.ts')).revokePairing(platform, user, io),
      },
      {
        name: 'clear-pending',
        about: 'delete all open requests',
        examples: ['hermes pairing clear-pending'],
        run: async ({ io }: CommandCall) => (await import('../../gateway/pairing.ts')).clearPairing(io),
      },
    ],
  },
];
