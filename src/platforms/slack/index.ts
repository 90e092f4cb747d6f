import type { Platform } from '../../contracts/index.ts';

/** What the app of a Slack workspace needs. docs/gateway.md shows the same text. */
const SLACK_MANIFEST = `display_information:
  name: Hermes
features:
  app_home:
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: hermes
    always_online: true
  slash_commands:
    - command: /hermes
      description: Talk to Hermes
      should_escape: true
oauth_config:
  scopes:
    bot: [
      app_mentions:read, channels:history, channels:read, chat:write, commands,
      files:read, files:write, groups:history, groups:read, im:history, im:read,
      mpim:history, mpim:read, reactions:read, reactions:write, users:read
    ]
settings:
  event_subscriptions:
    bot_events: [
      app_mention, message.channels, message.groups, message.im, message.mpim
    ]
  interactivity:
    is_enabled: true
  socket_mode_enabled: true
`;

export const slack: Platform = {
  name: 'slack',
  label: 'Slack',
  required: ['BOT_TOKEN'],
  settings: {
    BOT_TOKEN: '`platforms.slack.token`: the bot token of the Slack app; several workspaces are separated by commas',
    APP_TOKEN: 'The app-level token of the Slack app, with which it receives messages',
  },
  hasGroups: true,
  tokenFile: 'slack_tokens.json',
  display: 'shared',
  setup: {
    steps: [
      'Open https://api.slack.com/apps, choose Create New App, From a manifest, and your workspace.',
      'Select YAML, replace the text with the manifest below, and create the app.',
      'Under Basic Information, App-Level Tokens, generate a token with the scope connections:write (it starts with xapp-).',
      'Under Install App, install the app and copy the bot token (it starts with xoxb-).',
    ],
    manifest: SLACK_MANIFEST,
    tokens: [
      {
        variable: 'SLACK_BOT_TOKEN',
        label: 'bot token (xoxb-…)',
        form: { pattern: /^xoxb-/, hint: 'A bot token starts with xoxb-; see Install App.' },
      },
      {
        variable: 'SLACK_APP_TOKEN',
        label: 'app-level token (xapp-…)',
        form: { pattern: /^xapp-/, hint: 'An app-level token starts with xapp-; see Basic Information.' },
      },
    ],
    idHelp: 'open your profile in Slack, and choose Copy member ID from the menu',
    firstContact: ({ name }) => `Write a direct message to ${name} in Slack, or invite it: /invite ${name}`,
  },
  async open(settings) {
    const { createSlackChannels } = await import('./slack-channel.ts');
    const { toSlackOptions } = await import('./settings.ts');
    return createSlackChannels(toSlackOptions(settings));
  },
};
