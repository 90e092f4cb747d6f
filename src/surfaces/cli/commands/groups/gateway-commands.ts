import type { SendOptions } from '../../gateway/send.ts';
import type { GatewaySetupOptions } from '../../gateway/setup.ts';
import type { StatusOptions } from '../../gateway/status.ts';
import type { SubscribeOptions, TestOptions } from '../../gateway/webhook.ts';
import { type CommandCall, type CommandRow, type Json, JSON_OPTION } from '../command-row.ts';

const GROUP = 'Messaging and jobs:';
const WEBHOOK = { form: '<name>', about: 'the name of the webhook, which is part of its URL' };
const PLATFORM = { form: '<platform>', about: 'a platform, such as telegram' };

/** The commands of the messaging gateway. */
export const GATEWAY_COMMANDS: readonly CommandRow[] = [
  {
    name: 'gateway',
    group: GROUP,
    about: 'talk to Hermes from chats, such as Telegram, Discord and Slack',
    summary: 'talk to Hermes from chats, such as Telegram',
    examples: ['hermes gateway setup', 'hermes gateway run', 'hermes gateway status'],
    commands: [
      {
        name: 'run',
        about: 'connect to the configured platforms and answer messages, until Ctrl-C',
        notes:
          'Run `hermes gateway setup` first; without a platform, only scheduled jobs run. Strangers get a pairing code, which `hermes pairing approve` accepts. Messages are stored before they are acknowledged to the platform, and answers before they are sent; both are taken up again at the next start.',
        examples: ['hermes gateway run'],
        run: async ({ run }: CommandCall) => (await import('../../gateway/run.ts')).runGatewayCommand(run),
      },
      {
        name: 'status',
        onlyReads: true,
        about: 'show whether the gateway works: its accounts, waiting messages, running turns and errors',
        options: [
          {
            form: '--deep',
            about:
              'also ask each platform who the bot is, and show memory, delays and how full all queues and caches are',
          },
          JSON_OPTION,
        ],
        notes:
          'The exit code is 0 if the gateway is running, all platforms are connected, and nothing waits for more than 10 minutes; otherwise it is 1.',
        examples: ['hermes gateway status', 'hermes gateway status --deep --json'],
        run: async ({ options, io, signal }: CommandCall<StatusOptions>) =>
          (await import('../../gateway/status.ts')).gatewayStatus(options, io, signal),
      },
      {
        name: 'setup',
        about: 'connect a messaging platform: token, who may use the bot, home channel',
        arguments: [{ form: '[platform]', about: 'telegram, discord, slack, irc or ntfy' }],
        options: [
          {
            form: '--token <token>',
            about: 'the token of the bot; - reads it from stdin, for Slack also the second token',
          },
          { form: '--app-token <token>', about: 'the app-level token of Slack' },
          { form: '--allow <ids>', about: 'user ids who may use the bot, separated by commas' },
          { form: '--pairing', about: 'let people in whom you approve with `hermes pairing approve`' },
          { form: '--home <chat>', about: 'the id of the chat for messages without another target' },
          { form: '--offline', about: 'do not verify the token' },
        ],
        notes:
          'In a terminal, it asks for everything that is missing. Without one, the platform and --token are required.',
        examples: ['hermes gateway setup', 'hermes gateway setup telegram --token - --allow 123456789 < token.txt'],
        run: async ({
          values: [platform],
          options,
          io,
          signal,
        }: CommandCall<GatewaySetupOptions, [string | undefined]>) =>
          (await import('../../gateway/setup.ts')).setUpGateway(platform, options, io, signal),
      },
    ],
  },
  {
    name: 'send',
    group: GROUP,
    about: 'send a message to a chat, without a model',
    arguments: [{ form: '[text...]', about: 'the text, in Markdown; without it, --file or stdin is read' }],
    options: [
      { form: '-t, --to <target>', about: 'platform, platform:chat, platform:chat:thread or platform:#name' },
      { form: '-f, --file <path>', about: 'read the text from a file; - is stdin' },
      { form: '-s, --subject <text>', about: 'a bold first line' },
      { form: '-l, --list', about: 'list the home channels and the chats that the bot knows' },
      { form: '-q, --quiet', about: 'print nothing if the message was delivered' },
      JSON_OPTION,
    ],
    notes:
      'A bare platform is its home channel, which `/sethome` in a chat or a variable such as TELEGRAM_HOME_CHANNEL sets. The message is stored first. A running gateway sends it; without one, this command does. The exit code is 0 only if the platform accepted the message.',
    examples: [
      'hermes send "The backup is done."',
      'make test 2>&1 | tail -20 | hermes send --to telegram:#builds --subject "Tests"',
      'hermes send --list',
    ],
    run: async ({ values: [words], options, io, signal }: CommandCall<SendOptions, [string[]]>) =>
      (await import('../../gateway/send.ts')).sendCommand(words, options, io, signal),
  },
  {
    name: 'webhook',
    group: GROUP,
    about: 'let other programs, such as GitHub, start turns with HTTP requests',
    summary: 'let other programs start turns',
    examples: [
      'hermes webhook subscribe alerts --deliver telegram',
      'hermes webhook list',
      'hermes webhook test alerts',
    ],
    commands: [
      {
        name: 'subscribe',
        aliases: ['add'],
        about: 'create a webhook, or change one, and show its URL and secret',
        arguments: [WEBHOOK],
        options: [
          {
            form: '--prompt <text>',
            about: 'what the agent is asked, with fields of the payload such as {issue.title}',
          },
          { form: '--events <names>', about: 'the events to accept, separated by commas (default: all)' },
          { form: '--skills <names>', about: 'skills for the agent, separated by commas' },
          { form: '--deliver <target>', about: 'where the answer goes: log, github_comment, or a platform' },
          { form: '--deliver-chat-id <chat>', about: 'the chat on that platform (default: the home channel)' },
          { form: '--deliver-only', about: 'deliver the rendered prompt as it is, without an agent' },
          { form: '--description <text>', about: 'a description for people' },
          {
            form: '--secret <secret>',
            about: 'the secret of the sender (default: a random one); - reads it from stdin',
          },
        ],
        notes:
          'A running gateway serves the webhook immediately. If it exists, options that are not given keep their values. Tool sets can only be changed in webhook_subscriptions.json or config.yaml.',
        examples: [
          'hermes webhook subscribe issues --events issues --prompt "Summarise: {issue.title} {issue.body}" --deliver telegram',
          'hermes webhook subscribe alerts --deliver telegram --deliver-only --prompt "{level}: {message}"',
        ],
        run: async ({ values: [name], options, io }: CommandCall<SubscribeOptions, [string]>) =>
          (await import('../../gateway/webhook.ts')).subscribeWebhook(name, options, io),
      },
      {
        name: 'list',
        aliases: ['ls'],
        onlyReads: true,
        about: 'list the webhooks with their URLs, without their secrets',
        options: [JSON_OPTION],
        examples: ['hermes webhook list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../gateway/webhook.ts')).listWebhooks(options, io),
      },
      {
        name: 'remove',
        aliases: ['rm'],
        about: 'remove a webhook that `hermes webhook subscribe` created',
        arguments: [WEBHOOK],
        examples: ['hermes webhook remove alerts'],
        run: async ({ values: [name], io }: CommandCall<object, [string]>) =>
          (await import('../../gateway/webhook.ts')).removeWebhook(name, io),
      },
      {
        name: 'test',
        about: 'send a signed request to a webhook of the running gateway',
        arguments: [WEBHOOK],
        options: [
          { form: '--payload <json>', about: 'the payload; - reads it from stdin' },
          { form: '--event <name>', about: 'the event (default: the first one that the webhook accepts)' },
        ],
        notes: 'The exit code is 0 if the gateway accepted the request.',
        examples: [`hermes webhook test issues --payload '{"issue": {"title": "It is broken"}}'`],
        run: async ({ values: [name], options, io, signal }: CommandCall<TestOptions, [string]>) =>
          (await import('../../gateway/webhook.ts')).testWebhook(name, options, io, signal),
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
