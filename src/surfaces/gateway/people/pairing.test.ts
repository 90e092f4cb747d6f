import { mkdtemp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createPairing } from './pairing.ts';

const START = 1_767_323_045_000;
const ANA = { platform: 'telegram', userId: '7', userName: 'Ana' };
const user = (userId: string) => ({ ...ANA, userId, userName: `User ${userId}` });

async function open() {
  const home = await mkdtemp(join(tmpdir(), 'hermes-pairing-'));
  onTestFinished(() => rm(home, { recursive: true }));
  let now = START;
  return {
    home,
    pairing: createPairing(home, { now: () => now }),
    advance: (milliseconds: number) => void (now += milliseconds),
    read: async (name: string) => JSON.parse(await readFile(join(home, 'platforms/pairing', name), 'utf8')) as unknown,
  };
}

async function pendingCode(pairing: ReturnType<typeof createPairing>): Promise<string> {
  return (await pairing.listPending())[0]?.code ?? '';
}

async function codeOf(request: ReturnType<ReturnType<typeof createPairing>['request']>): Promise<string> {
  const made = await request;
  if (made.outcome !== 'code') throw new Error(made.outcome);
  return made.code;
}

describe('pairing', () => {
  verifies('GW-28', 'writes the files of the original, which only the user can read', async () => {
    const { home, pairing, read } = await open();
    const code = await codeOf(pairing.request(ANA));
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    const time = START / 1000;
    expect(await read('telegram-pending.json')).toEqual({
      [code]: { user_id: '7', user_name: 'Ana', created_at: time },
    });
    expect(await read('_rate_limits.json')).toEqual({ 'telegram:7': time });
    expect(await pairing.approve('telegram', ` ${code.toLowerCase()} `)).toEqual({
      outcome: 'approved',
      user: { ...ANA, approvedAt: START },
    });
    expect(await read('telegram-approved.json')).toEqual({ 7: { user_name: 'Ana', approved_at: time } });
    expect(await read('telegram-pending.json')).toEqual({});
    expect((await stat(join(home, 'platforms/pairing/telegram-approved.json'))).mode & 0o777).toBe(0o600);
    expect(await pairing.revoke('telegram', '7')).toBe(true);
    expect(await pairing.revoke('telegram', '7')).toBe(false);
    expect(await pairing.listApproved()).toEqual([]);
  });

  it('uses the older folder if it exists, and keeps unknown fields', async () => {
    const { home } = await open();
    await mkdir(join(home, 'pairing'));
    const file = join(home, 'pairing/telegram-approved.json');
    await writeFile(file, '{"5": {"user_name": "Old", "approved_at": 1.5, "note": "kept"}}');
    const pairing = createPairing(home, { now: () => START });
    await pairing.approve('telegram', await codeOf(pairing.request(ANA)));
    expect((await pairing.listApproved('telegram')).map(({ userId }) => userId)).toEqual(['5', '7']);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ 5: { note: 'kept' }, 7: { user_name: 'Ana' } });
  });

  verifies('GW-28', 'limits requests by person and by platform, and codes expire', async () => {
    const { pairing, advance } = await open();
    const code = await codeOf(pairing.request(ANA));
    expect(await pairing.request(ANA)).toEqual({ outcome: 'waiting' });
    await pairing.request(user('8'));
    await pairing.request(user('9'));
    expect(await pairing.request(user('10'))).toEqual({ outcome: 'full' });
    expect(await pairing.request({ ...ANA, platform: 'discord' })).toMatchObject({ outcome: 'code' });
    expect(await pairing.listPending()).toHaveLength(4);
    advance(3_600_000);
    expect(await pairing.approve('telegram', code)).toEqual({ outcome: 'not_found' });
    expect(await pairing.listPending()).toEqual([]);
    expect(await pairing.request(user('10'))).toMatchObject({ outcome: 'code' });
    expect(await pairing.clearPending('telegram')).toBe(1);
    expect(await pairing.clearPending()).toBe(0);
  });

  verifies('GW-28', 'locks a platform for an hour after five wrong codes', async () => {
    const { pairing, advance } = await open();
    const code = await codeOf(pairing.request(ANA));
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await pairing.approve('telegram', 'WRONG234')).toEqual({ outcome: 'not_found' });
    expect(await pairing.approve('telegram', code)).toEqual({ outcome: 'locked' });
    expect(await pairing.request(user('8'))).toEqual({ outcome: 'locked' });
    expect(await pairing.approve('discord', 'WRONG234')).toEqual({ outcome: 'not_found' });
    advance(3_600_001);
    expect(await pairing.request(user('8'))).toMatchObject({ outcome: 'code' });
  });

  it('loses no request or approval of several processes', async () => {
    const { home } = await open();
    const each = ['a', 'b', 'c', 'd', 'e', 'f'].map(async (platform) => {
      const pairing = createPairing(home, { now: () => START });
      await pairing.approve(platform, await codeOf(pairing.request({ ...ANA, platform })));
    });
    await Promise.all(each);
    expect(await createPairing(home, { now: () => START }).listApproved()).toHaveLength(6);
  });

  verifies('GW-28', 'reads what is valid in files of any content, and says what is not', async () => {
    const { home } = await open();
    const folder = join(home, 'pairing');
    await mkdir(folder);
    await mkdir(join(folder, 'irc-approved.json'));
    const files = {
      'telegram-approved.json': '{"5": {"user_name": "Old", "approved_at": 1.5}, "6": null, "": {}, "7": "x"}',
      'telegram-pending.json': `{"AAAA2222": {"user_id": 9, "created_at": ${START / 1000}}, "BBBB2222": [], "CCCC2222": {}}`,
      'discord-approved.json': '{"1": {"user_name": 7, "approved_at": 1e300}',
      'slack-approved.json': '[]',
      'signal-approved.json': '{"a": {"approved_at": 1e300}}',
      'No Platform-approved.json': '{"9": {}}',
      '_rate_limits.json': '{"telegram:1": "soon", "_failures:telegram": {}}',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const problems: string[] = [];
    const pairing = createPairing(home, { now: () => START }, (problem) => void problems.push(problem));
    const approved = await pairing.listApproved();
    expect(approved.map(({ platform, userId }) => `${platform} ${userId}`).toSorted()).toEqual([
      'signal a',
      'telegram 5',
    ]);
    for (const { approvedAt } of approved) expect(() => new Date(approvedAt).toISOString()).not.toThrow();
    expect(await pairing.listPending()).toMatchObject([{ code: 'AAAA2222', userId: '9', userName: '' }]);
    await pairing.listApproved();
    expect(problems.join('\n')).toMatch(/discord-approved[^]*irc-approved|irc-approved[^]*discord-approved/);
    expect(problems).toHaveLength(3);
  });

  it('reports a broken file instead of overwriting it, and refuses names that are paths', async () => {
    const { home, pairing } = await open();
    await pairing.request(ANA);
    await writeFile(join(home, 'platforms/pairing/telegram-approved.json'), '{"7": ');
    await expect(pairing.approve('telegram', await pendingCode(pairing))).rejects.toThrow('is not a JSON object');
    await expect(pairing.approve('../../x', 'ABCDEFGH')).rejects.toThrow('not the name of a platform');
  });
});
