import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRunner } from '../../../test/support/channel-runner.ts';
import type { Channel } from '../../contracts/index.ts';
import { skipReason } from '../../environments/skip-tests.fixture.ts';
import { type ChannelBench, describeChannel, startReceiving, textsOf } from '../../testing/index.ts';
import { createIrcChannel, type IrcOptions } from './irc-channel.ts';
import { startNgircd } from './irc-server.test-helper.ts';
import { joinAsUser } from './irc-user.test-helper.ts';
import { toIrcText } from './render.ts';

const missing = skipReason('IRC', existsSync('/usr/sbin/ngircd') ? undefined : 'ngircd is not installed');
const PASSWORD = 'the-password-of-the-server';

describe.skipIf(missing !== '')(`IRC with ngircd${missing}`, () => {
  let server: Awaited<ReturnType<typeof startNgircd>>;
  let last = 0;
  beforeAll(async () => {
    server = await startNgircd({ password: PASSWORD });
  });
  afterAll(() => server.stop());

  async function openBench() {
    last += 1;
    const [nickname, room] = [`hermes${last}`, `#room${last}`];
    const [user, namesake] = await Promise.all([
      joinAsUser(server.port, `ada${last}`, PASSWORD, [room]),
      joinAsUser(server.port, `ada${last}b`, PASSWORD, [room]),
    ]);
    const channels: Channel[] = [];
    const open = (options: Partial<IrcOptions> = {}) => {
      const channel = createIrcChannel({
        host: '127.0.0.1',
        port: server.port,
        useTls: false,
        password: PASSWORD,
        nickname,
        channels: [room],
        times: { connectMs: 20_000, callMs: 20_000, pingMs: 20, silenceMs: 20_000 },
        ...options,
      });
      channels.push(channel);
      return channel;
    };
    const bench: ChannelBench = {
      open: () => open(),
      secret: PASSWORD,
      target: { chatId: user.nick },
      isLive: true,
      hasOneLine: true,
      keepsOrder: true,
      say: (text) => user.say(nickname, text),
      texts: () => user.heard(),
      plainText: toIrcText,
      group: {
        target: { chatId: room },
        mention: `${nickname}:`,
        say: (text, by) => (by === 'namesake' ? namesake : user).say(room, text),
        texts: () => user.heard(room),
      },
      async close() {
        for (const channel of channels) await channel.close();
        user.close();
        namesake.close();
      },
    };
    return { bench, open, user, room, nickname };
  }

  describeChannel('irc', async () => (await openBench()).bench, channelRunner);

  const soon = () => AbortSignal.timeout(20_000);

  it('sends lines within 512 bytes that are valid UTF-8, to the longest names', async () => {
    const { bench, open, user } = await openBench();
    const room = `#${'x'.repeat(49)}`;
    const channel = open({ nickname: `h${'e'.repeat(29)}`, channels: [room] });
    const listener = await joinAsUser(server.port, 'listener', PASSWORD, [room]);
    for (const markdown of ['😀'.repeat(300), 'ä'.repeat(700), `a${'世'.repeat(500)}`, 'one\ntwo']) {
      for (const content of channel.render(markdown)) {
        await channel.send({ target: { chatId: room }, content }, { key: 'a', mayHaveArrived: false, signal: soon() });
      }
    }
    const heard = await listener.heard(room);
    const sent = ['😀'.repeat(300), 'ä'.repeat(700), `a${'世'.repeat(500)}`, 'onetwo'].join('');
    expect(heard.join('')).toBe(sent);
    expect(heard.slice(-2)).toEqual(['one', 'two']);
    const sizes = listener.lines().map((line) => line.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(512);
    expect(listener.lines().every((line) => !line.toString('utf8').includes('\ufffd'))).toBe(true);
    listener.close();
    user.close();
    await bench.close();
  });

  it('takes another nickname if its own is in use, and is then addressed by it', async () => {
    const { bench, open, user, nickname } = await openBench();
    const [first, second] = [open(), open()];
    await first.identify(soon());
    const receiving = startReceiving(second);
    await receiving.waitForProof();
    user.say(`${nickname}_`, 'hello');
    await receiving.waitFor(1);
    expect(textsOf(receiving.events)).toEqual(['hello']);
    await receiving.stop();
    await bench.close();
  });

  it('is fatal with a wrong password or nickname', async () => {
    const { bench, open } = await openBench();
    for (const options of [{ password: 'wrong' }, { nickname: '1#' }]) {
      await expect(open(options).identify(soon())).rejects.toMatchObject({ fault: 'fatal' });
    }
    await bench.close();
  });

  it('ignores requests of programs, and reads actions', async () => {
    const { bench, open, user, nickname } = await openBench();
    const receiving = startReceiving(open());
    await receiving.waitForProof();
    user.say(nickname, '\u0001VERSION\u0001');
    user.say(nickname, '\u0001ACTION waves\u0001');
    await receiving.waitFor(1);
    expect(textsOf(receiving.events)).toEqual(['waves']);
    await receiving.stop();
    await bench.close();
  });

  it('notices that the server was killed, and connects again', async () => {
    const other = await startNgircd();
    const channel = createIrcChannel({
      host: '127.0.0.1',
      port: other.port,
      useTls: false,
      nickname: 'hermes',
      channels: [],
      times: { pingMs: 20 },
    });
    const receiving = startReceiving(channel);
    await receiving.waitForProof();
    await other.stop();
    expect(await receiving.ended).toMatchObject({ fault: 'transient' });
    expect(await startReceiving(channel).ended).toMatchObject({ fault: 'transient' });
    await channel.close();
  });
});
