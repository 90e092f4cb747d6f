import type { Meanings } from './model-meanings.ts';

/** The keys of the messaging gateway. */
export const GATEWAY_MEANINGS: Meanings = {
  platforms: 'Messaging platforms of the gateway, by name',
  'platforms.NAME.enabled':
    'Whether the gateway connects to the platform. Default: `true` if there is a token, or a route of webhooks',
  'platforms.NAME.token': 'The token of the bot. The variable, such as `TELEGRAM_BOT_TOKEN`, takes precedence',
  'platforms.NAME.extra.base_url': 'Another address of the API of the platform',
  'platforms.NAME.extra.base_file_url': 'Another address for the download of files. Default: that of `base_url`',
  'platforms.NAME.extra.disable_link_previews': 'Whether messages have no previews of links. Default: `false`',
  'platforms.NAME.extra.reply_in_thread':
    'Slack: whether a message in a channel is answered in a thread. Default: `true`',
  'platforms.NAME.extra.allow_from': 'Ids of users who may write to the bot, in addition to those of the variable',
  'platforms.NAME.extra.allow_admin_from':
    'Ids of users who may answer approvals and run privileged commands in direct messages. Default: the first user of the allow-list, or the first one who was approved by pairing',
  'platforms.NAME.extra.group_allow_admin_from': 'The same for groups',
  'platforms.NAME.extra.group_allow_from': 'Ids of users who may write to the bot in groups only',
  'platforms.NAME.extra.group_allowed_chats': 'Ids of groups in which all members may write to the bot',
  'platforms.NAME.extra.user_allowed_commands':
    'Slash commands, quick commands and skills of users who are not admins, without the slash, in direct messages. `/help` and `/whoami` are always allowed; commands that require an admin never are. Default: commands about the own conversation',
  'platforms.NAME.extra.group_user_allowed_commands': 'The same for groups. Default: `user_allowed_commands`',
  'platforms.NAME.unauthorized_dm_behavior': 'The same as the general key, for one platform',
  'platforms.NAME.home_channel.platform': 'The platform of the chat',
  'platforms.NAME.home_channel.chat_id':
    'The id of the chat that gets messages without another target. `/sethome` sets it',
  'platforms.NAME.home_channel.name': 'The name of the chat, for people',
  'platforms.NAME.extra.host': {
    about: 'Webhooks and the API server: the address on which they wait for requests. Default: `127.0.0.1`',
    variable: 'WEBHOOK_HOST',
  },
  'platforms.NAME.extra.port': {
    about: 'Webhooks and the API server: the port. Default: 8644 for webhooks, 8642 for the API server',
    variable: 'WEBHOOK_PORT',
  },
  'platforms.NAME.extra.public_url': {
    about: 'Webhooks: the URL under which a reverse proxy or a tunnel makes the port reachable',
    variable: 'WEBHOOK_PUBLIC_URL',
  },
  'platforms.NAME.extra.secret': {
    about: 'Webhooks: the secret of routes that have none of their own',
    variable: 'WEBHOOK_SECRET',
  },
  'platforms.NAME.extra.rate_limit': 'Webhooks: how many requests each route accepts in a minute. Default: 30',
  'platforms.NAME.extra.max_body_bytes': 'Webhooks: the maximum size of a request. Default: 1048576',
  'platforms.NAME.extra.key': {
    about: 'The API server: the key that clients send. `hermes api key add` adds others',
    variable: 'API_SERVER_KEY',
  },
  'platforms.NAME.extra.cors_origins': {
    about: 'The API server: origins of web pages that may call it, such as `https://chat.example`',
    variable: 'API_SERVER_CORS_ORIGINS',
  },
  'platforms.NAME.extra.model_name': {
    about: 'The API server: the id of the configured model. Default: the name of the profile, or `hermes-agent`',
    variable: 'API_SERVER_MODEL_NAME',
  },
  ...routeKeys('platforms.NAME.extra.routes.NAME.'),
  ...mentions('platforms.NAME.extra.'),
  telegram: 'Settings for groups on Telegram. Those in `platforms.telegram.extra` take precedence',
  discord: 'Settings for servers on Discord, with the keys of `telegram`',
  slack: 'Settings for channels on Slack, with the keys of `telegram`',
  ...platformSection('telegram'),
  ...platformSection('discord'),
  ...platformSection('slack'),
  api_server: 'The API server of `hermes serve`. Address, port and key are in `platforms.api_server`',
  'api_server.client_tools':
    'Whether clients may bring tools of their own, which they run themselves. Default: `false`',
  'api_server.public_url': 'The URL under which a reverse proxy makes the API server reachable',
  'api_server.extra_hosts': 'Other host names that clients may use for the API server',
  'api_server.max_runs': 'How many runs of `/v1/runs` and background responses may be active. Default: 10',
  gateway: 'The messaging gateway',
  'gateway.max_turns': 'The number of chats in which turns run at the same time. Default: 8',
  'gateway.keep_open': 'How many seconds the session of a chat stays open after its last turn. Default: 60',
  'gateway.media_delivery_allow_dirs': {
    about: 'Folders whose files the agent may send to chats, in addition to files that it made in the same turn',
    variable: 'HERMES_MEDIA_ALLOW_DIRS',
  },
  cron: 'Scheduled jobs',
  'cron.max_parallel': 'How many scheduled jobs one process runs at the same time',
  'cron.wrap_response': 'Whether delivered answers of scheduled jobs name the job',
  'cron.script_timeout_seconds': 'After how many seconds the script of a job is killed',
  session_reset: 'When a chat of the gateway gets a new session',
  ...reset('session_reset.'),
  'session_reset.notify': 'Whether Hermes reports a new session to the chat. Default: `true`',
  'session_reset.notify_exclude_platforms': 'Platforms whose chats get no report. Default: `[api_server, webhook]`',
  reset_by_platform: 'Reset policies of platforms, by name',
  ...reset('reset_by_platform.NAME.'),
  reset_by_type: 'Reset policies of chat types: `dm`, `group`, `channel` or `thread`',
  ...reset('reset_by_type.NAME.'),
  timezone: 'The IANA time zone of scheduled jobs and of the daily reset. Default: that of the machine',
  quick_commands: 'Slash commands of your own in chats, by name',
  'quick_commands.NAME.type':
    '`exec` runs a shell command without the model, `alias` stands for another slash command. Default: `exec`',
  'quick_commands.NAME.command': 'The shell command, whose output is the answer. It is killed after 30 seconds',
  'quick_commands.NAME.target': 'The slash command that an alias stands for, with its arguments',
  group_sessions_per_user: 'Whether each member of a group has a session of their own. Default: `true`',
  thread_sessions_per_user: 'Whether each member of a thread has a session of their own. Default: `false`',
  unauthorized_dm_behavior:
    'What a stranger who writes to the bot gets: a pairing code, or no answer. Default: `pair`, or `ignore` if there is an allow-list',
};

function routeKeys(prefix: string): Meanings {
  return {
    [`${prefix}secret`]: 'What the sender signs requests with. Required, unless there is a secret for all routes',
    [`${prefix}events`]: 'The events that are accepted. Default: all',
    [`${prefix}prompt`]:
      'What the agent is asked, with fields of the payload in braces, such as `{pull_request.title}`, or `{__raw__}` for the whole payload. Default: the whole payload',
    [`${prefix}skills`]: 'Skills that the agent gets with the prompt',
    [`${prefix}toolsets`]: 'Tool sets of the agent. Default: `[hermes-webhook]`',
    [`${prefix}deliver`]: 'Where the answer goes: `log`, `github_comment`, or a platform. Default: `log`',
    [`${prefix}deliver_extra.NAME`]:
      'A detail of the delivery, which may contain fields: `chat_id` and `thread_id` of a platform, `repo` and `pr_number` of a comment',
    [`${prefix}deliver_only`]: 'Whether the rendered prompt is delivered as it is, without an agent. Default: `false`',
    [`${prefix}description`]: 'A description for people',
  };
}

function platformSection(name: string): Meanings {
  const key = `${name}.unauthorized_dm_behavior`;
  return { [key]: 'The same as the general key, for this platform', ...mentions(`${name}.`) };
}

/** The lists are named by what a platform calls a chat; all names work on all platforms. */
function mentions(prefix: string): Meanings {
  const free = 'Ids of chats in which Hermes reads all messages of users, without a mention';
  const allowed = 'Ids of the only groups in which Hermes reads messages. Default: all';
  const ignored = 'Ids of groups in which Hermes reads nothing';
  const keys: Meanings = {
    require_mention:
      'Whether Hermes reads only those messages of a group that mention it, reply to it, or are commands. Default: `true`',
    mention_patterns: 'Regular expressions that count as a mention, in upper or lower case',
    free_response_chats: free,
    free_response_channels: free,
    free_response_rooms: free,
    allowed_chats: allowed,
    allowed_channels: allowed,
    ignored_chats: ignored,
    ignored_channels: ignored,
    ignored_threads: 'Ids of threads in which Hermes reads nothing',
    ignored_users: 'Ids of users whose messages Hermes does not read',
    allow_bots: 'Whether messages of other bots are read: `none`, `mentions` or `all`. Default: `none`',
  };
  return Object.fromEntries(Object.entries(keys).map(([key, about]) => [prefix + key, about]));
}

function reset(prefix: string): Meanings {
  return {
    [`${prefix}mode`]:
      'When a new session is started: after a time without messages (`idle`), once a day (`daily`), `both` or `none`. Default: `both`',
    [`${prefix}at_hour`]: 'The hour of the daily reset, from 0 to 23. Default: 4',
    [`${prefix}idle_minutes`]: 'The number of minutes without messages after which a new session starts. Default: 1440',
  };
}
