import type { Platform } from '../../contracts/index.ts';

export const ntfy: Platform = {
  name: 'ntfy',
  label: 'ntfy',
  required: ['TOPIC'],
  settings: {
    TOPIC:
      '`platforms.ntfy.token`: the topic of ntfy. Everybody who can write to it is one user, whose id is the topic',
    SERVER_URL: 'The ntfy server. Default: https://ntfy.sh',
    TOKEN: 'The access token of the account on the ntfy server, for a topic that is protected',
  },
  hasGroups: false,
  display: 'plain',
  setup: {
    steps: [
      'Install the ntfy app, or open https://ntfy.sh, and subscribe to a topic whose name nobody can guess.',
      'To protect the topic, reserve it for your account, and create an access token (NTFY_TOKEN).',
    ],
    tokens: [
      {
        variable: 'NTFY_TOPIC',
        label: 'topic',
        form: { pattern: /^[\w-]{1,64}$/, hint: 'A topic has 1 to 64 letters, digits, _ or -' },
      },
    ],
    idHelp: 'the id of the user is the name of the topic',
    hasUserChats: true,
    firstContact: ({ name }) => `Publish a message to ${name} in the ntfy app`,
  },
  async open(settings) {
    const { createNtfyChannel } = await import('./ntfy-channel.ts');
    const { variables, proxy, baseUrl } = settings;
    const [topic, token] = [settings.token.trim(), settings.read('TOKEN')];
    return [
      createNtfyChannel({
        topic,
        serverUrl: settings.read('SERVER_URL') ?? baseUrl ?? 'https://ntfy.sh',
        variables,
        ...(token !== undefined && { token }),
        ...(proxy && { proxy }),
      }),
    ];
  },
};
