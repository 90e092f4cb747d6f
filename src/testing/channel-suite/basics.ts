import type { Channel } from '../../contracts/index.ts';
import { type ChannelBench, connect, sendText, soon } from './channel-bench.ts';
import type { Suite } from './suite.ts';

export function describeBasics({ describe, it, expect }: Suite): void {
  describe('the facts', () => {
    it('are complete', (bench) => {
      const { platform, maxText, silenceMs, rates, maxDownloadBytes, maxUploadBytes } = bench.open().facts;
      expect(/^[a-z][a-z0-9_]*$/.test(platform)).toBe(true);
      const rules = [rates.account, rates.chat, ...(rates.group ? [rates.group] : [])];
      const positive = [maxText, silenceMs, ...rules.flatMap(({ count, perMs }) => [count, perMs])];
      expect(positive.filter((value) => !(value > 0))).toEqual([]);
      expect([maxDownloadBytes, maxUploadBytes].filter((value) => !(value >= 0))).toEqual([]);
      return Promise.resolve();
    });

    it('are the same for each channel of the platform', (bench) => {
      expect(bench.open().facts).toEqual(bench.open().facts);
      return Promise.resolve();
    });

    it('claim nothing that the bench cannot test', (bench) => {
      expect(untested(bench.open(), bench)).toEqual([]);
      return Promise.resolve();
    });
  });

  describe('the bot', () => {
    it('has a stable account on its platform, and a name', async (bench) => {
      const channel = bench.open();
      const first = await channel.identify(soon());
      const second = await bench.open().identify(soon());
      expect(second).toEqual(first);
      expect(first.account.startsWith(`${channel.facts.platform}:`)).toBe(true);
      expect(first.account.length).toBeGreaterThan(channel.facts.platform.length + 1);
      expect(first.name).not.toBe('');
    });

    it('is not identified by its token', async (bench) => {
      const { account, name } = await bench.open().identify(soon());
      expect(account).not.toContain(bench.secret);
      expect(name).not.toContain(bench.secret);
    });
  });

  describe('closing', () => {
    it('can be repeated', async (bench) => {
      const channel = bench.open();
      await sendText(channel, bench, 'hello');
      await channel.close();
      await channel.close();
      expect(await bench.texts()).toEqual(['hello']);
    });

    it('works before anything was sent', async (bench) => {
      const channel = bench.open();
      await channel.close();
      expect(await bench.texts()).toEqual([]);
    });

    it('leaves other channels of the account alone', async (bench) => {
      const [one, two] = [bench.open(), bench.open()];
      await sendText(one, bench, 'one');
      await one.close();
      await sendText(two, bench, 'two');
      expect(await bench.texts()).toEqual(['one', 'two']);
    });

    it('keeps no more in memory than it says', async (bench) => {
      const channel = bench.open();
      const receiving = await connect(bench, channel);
      await receiving.stop();
      const fills = channel.listFills?.() ?? [];
      expect(fills.filter(({ used, limit }) => used < 0 || used > limit)).toEqual([]);
      await channel.close();
    });
  });
}

/** The abilities that a channel claims and that the tests cannot use. */
function untested(channel: Channel, bench: ChannelBench): string[] {
  const { facts } = channel;
  const claims: Record<string, [boolean, unknown]> = {
    'sentFiles (maxUploadBytes)': [facts.maxUploadBytes > 0, bench.sentFiles],
    'sayFile (maxDownloadBytes)': [facts.maxDownloadBytes > 0, bench.sayFile],
    'buttons (hasButtons)': [facts.hasButtons, bench.buttons],
    'typing (showTyping)': [channel.showTyping !== undefined, bench.typing],
    'reactions (react)': [channel.react !== undefined, bench.reactions],
    'streams (streams)': [channel.streams !== undefined, bench.streams],
    'drafts (showDraft)': [channel.showDraft !== undefined, bench.drafts],
  };
  return Object.entries(claims).flatMap(([name, [isClaimed, offered]]) =>
    isClaimed && offered === undefined ? [name] : [],
  );
}
