import { expect, it } from 'vitest';
import { readGatewayValues } from './gateway-settings.ts';

const TOKEN = { DISCORD_BOT_TOKEN: 'abc' };
const read = (variables: Record<string, string>) => readGatewayValues({}, variables).platforms;

it('connects to Discord only with a token, and next to Telegram', () => {
  expect(read({ DISCORD_ALLOWED_USERS: '1' })).toEqual([]);
  expect(read({ ...TOKEN, TELEGRAM_BOT_TOKEN: '1:a' }).map(({ name }) => name)).toEqual(['telegram', 'discord']);
  const values = { platforms: { discord: { enabled: false } } };
  expect(readGatewayValues(values, TOKEN).platforms).toEqual([]);
});

it('requires mentions and ignores bots by default', () => {
  expect(read({ ...TOKEN, DISCORD_ALLOWED_USERS: '1, 2' })).toMatchObject([
    {
      name: 'discord',
      token: 'abc',
      allowed: ['1', '2'],
      discord: {
        requireMention: true,
        freeChannels: [],
        ignoredChannels: [],
        allowedChannels: [],
        bots: 'none',
        replies: true,
      },
    },
  ]);
});

it('reads the variables of Discord', () => {
  const variables = {
    ...TOKEN,
    DISCORD_REQUIRE_MENTION: 'false',
    DISCORD_FREE_RESPONSE_CHANNELS: '1,2',
    DISCORD_IGNORED_CHANNELS: '3',
    DISCORD_ALLOWED_CHANNELS: '4',
    DISCORD_ALLOW_BOTS: 'Mentions',
    DISCORD_REPLY_TO_MODE: 'off',
  };
  expect(read(variables)[0]?.discord).toEqual({
    requireMention: false,
    freeChannels: ['1', '2'],
    ignoredChannels: ['3'],
    allowedChannels: ['4'],
    bots: 'mentions',
    replies: false,
  });
  expect(read({ ...TOKEN, DISCORD_ALLOW_BOTS: 'perhaps' })[0]?.discord?.bots).toBe('none');
});
