import { describe, expect, it, onTestFinished } from 'vitest';
import { createTemporaryHome } from '../../testing/index.ts';
import { PLATFORMS } from '../../platforms/index.ts';
import { loadGatewaySettings } from './index.ts';

const TOKEN = { TELEGRAM_BOT_TOKEN: '1:a' };

async function load(files: Record<string, string>, env: Record<string, string> = {}) {
  const home = await createTemporaryHome(files);
  onTestFinished(() => home.remove());
  const settings = await loadGatewaySettings({ home: home.path, env: { ...TOKEN, ...env }, platforms: PLATFORMS });
  const [telegram] = settings.platforms;
  if (telegram === undefined) throw new Error('no platform');
  return { ...settings, telegram };
}

describe('the settings of the gateway', () => {
  it('have the defaults of the original for an empty home', async () => {
    const { resets, telegram, quickCommands, problems, keepOpenSeconds } = await load({});
    expect(resets).toEqual({
      general: { mode: 'both', atHour: 4, idleMinutes: 1440 },
      byPlatform: {},
      byType: {},
      notify: true,
      silentPlatforms: ['api_server', 'webhook'],
      timeZone: undefined,
    });
    expect(telegram).toMatchObject({ strangers: 'pair', allowed: [], groupChats: [], userCommands: {}, admins: {} });
    expect(telegram.mentions).toMatchObject({ required: true, bots: 'none', freeChats: [] });
    expect({ quickCommands, problems, keepOpenSeconds }).toEqual({
      quickCommands: [],
      problems: [],
      keepOpenSeconds: 60,
    });
  });

  it('reads config.yaml in the forms that existing files have', async () => {
    const { resets, telegram, quickCommands, problems } = await load({
      'config.yaml': `session_reset: { mode: idle, idle_minutes: 30, at_hour: 0, notify: off, notify_exclude_platforms: [slack] }
timezone: Europe/Berlin
telegram: { require_mention: "false", free_response_chats: -1001, mention_patterns: '(?i)^hermes', ignored_threads: [31, "42"], allow_bots: mentions }
platforms:
  telegram:
    home_channel: { platform: telegram, chat_id: 77, name: Home }
    unauthorized_dm_behavior: ignore
    extra:
      free_response_chats: "-1, -2,"
      allow_from: [7, "8"]
      group_allow_from: 9
      group_allowed_chats: ["-5"]
      allow_admin_from: 7
      user_allowed_commands: [status, /model]
      group_user_allowed_commands: []
quick_commands:
  Up: { type: exec, command: uptime }
  st: { type: alias, target: /status }
  bad: { type: web, command: x }
  empty: { type: alias }
`,
    });
    expect(resets).toMatchObject({
      general: { mode: 'idle', atHour: 0, idleMinutes: 30 },
      notify: false,
      silentPlatforms: ['slack'],
      timeZone: 'Europe/Berlin',
    });
    expect(telegram).toMatchObject({
      strangers: 'ignore',
      allowed: ['7', '8'],
      groupAllowed: ['9'],
      groupChats: ['-5'],
      admins: { dm: ['7'] },
      userCommands: { dm: ['status', '/model'], group: [] },
      homeChannel: '77',
    });
    expect(telegram.mentions).toEqual({
      required: false,
      patterns: [/^hermes/iu],
      freeChats: ['-1', '-2'],
      allowedChats: [],
      ignoredChats: [],
      ignoredThreads: ['31', '42'],
      ignoredUsers: [],
      bots: 'mentions',
    });
    expect(quickCommands).toEqual([
      { name: 'up', type: 'exec', command: 'uptime' },
      { name: 'st', type: 'alias', target: '/status' },
    ]);
    expect(problems).toEqual(['quick_commands.bad.type must be exec or alias.', 'quick_commands.empty has no target.']);
  });

  it('prefers variables, which may also be keys of config.yaml', async () => {
    const { resets, telegram, problems } = await load(
      {
        'config.yaml':
          'TELEGRAM_HOME_CHANNEL: 123\nSESSION_RESET_HOUR: 99\ntelegram: { require_mention: false, mention_patterns: [a] }\n',
        '.env': 'SESSION_IDLE_MINUTES=5\n',
      },
      {
        TELEGRAM_REQUIRE_MENTION: 'true',
        TELEGRAM_MENTION_PATTERNS: '["^hermes\\\\b", "(", 7]',
        TELEGRAM_FREE_RESPONSE_CHATS: '-1, -2',
        TELEGRAM_IGNORED_THREADS: '3',
        TELEGRAM_GROUP_ALLOWED_CHATS: '-5',
        TELEGRAM_ALLOW_BOTS: 'all',
      },
    );
    expect(telegram).toMatchObject({ homeChannel: '123', groupChats: ['-5'] });
    expect(resets.general).toEqual({ mode: 'both', atHour: 4, idleMinutes: 5 });
    expect(telegram.mentions).toMatchObject({
      required: true,
      patterns: [/^hermes\b/iu],
      freeChats: ['-1', '-2'],
      ignoredThreads: ['3'],
      bots: 'all',
    });
    expect(problems).toEqual(['mention_patterns of telegram: "(" is not a regular expression.']);
  });

  it('does not answer strangers where a list of users exists, unless told to', async () => {
    expect((await load({}, { TELEGRAM_ALLOWED_USERS: '7' })).telegram.strangers).toBe('ignore');
    expect((await load({}, { GATEWAY_ALLOWED_USERS: '7' })).telegram.strangers).toBe('ignore');
    const pair = { 'config.yaml': 'unauthorized_dm_behavior: pair\n' };
    expect((await load(pair, { TELEGRAM_ALLOWED_USERS: '7' })).telegram.strangers).toBe('pair');
  });

  it('reads gateway.json below config.yaml, and says which keys are not valid', async () => {
    const gatewayJson = JSON.stringify({
      platforms: { telegram: { enabled: true, token: null, home_channel: { chat_id: '5' }, extra: {} } },
      default_reset_policy: { mode: 'daily', at_hour: 6, idle_minutes: 10, notify: true },
      reset_by_type: { group: { mode: 'idle', idle_minutes: 15 } },
      reset_by_platform: { telegram: { mode: 'none' }, slack: 'never' },
      quick_commands: { up: { type: 'exec', command: 'uptime' } },
      group_sessions_per_user: false,
      thread_sessions_per_user: 'perhaps',
      unauthorized_dm_behavior: 'ignore',
      sessions_dir: '/x',
    });
    const settings = await load({ 'gateway.json': gatewayJson, 'config.yaml': 'quick_commands: {}\n' });
    expect(settings.resets.general).toEqual({ mode: 'daily', atHour: 6, idleMinutes: 10 });
    expect(settings.resets.byType).toEqual({ group: { mode: 'idle', atHour: 6, idleMinutes: 15 } });
    expect(settings).toMatchObject({ quickCommands: [], groupSessionsPerUser: false, threadSessionsPerUser: false });
    expect(settings.telegram).toMatchObject({ strangers: 'ignore', homeChannel: '5' });
    expect(settings.problems.map((problem) => problem.replace(/^.*gateway\.json: /, ''))).toEqual([
      'reset_by_platform must be a mapping of keys to values, so it is ignored.',
      'thread_sessions_per_user must be true or false, so it is ignored.',
    ]);
  });

  it.each(['', '[]', '{', 'null', '{"platforms": []}', '{"quick_commands": {"a": 1}}'])(
    'starts with gateway.json = %j',
    async (content) => {
      const { problems, resets } = await load({ 'gateway.json': content });
      expect(problems).toHaveLength(1);
      expect(resets.general.mode).toBe('both');
    },
  );
});
