import { systemClock } from '../../base/index.ts';
import type { PlatformFault } from '../platform-faults.ts';
import {
  beginReceiving,
  type ChannelBench,
  connect,
  failed,
  needsTimeout,
  nextEvent,
  sendText,
  soon,
  startReceiving,
  textsOf,
} from './channel-bench.ts';
import { requireNoSecret } from './no-secret.ts';
import { needing, type Suite } from './suite.ts';

const RECEIVING_FAULTS: readonly PlatformFault[] = [
  { type: 'reset' },
  { type: 'lost' },
  { type: 'cut' },
  { type: 'silence' },
  { type: 'drip', everyMs: 300 },
  { type: 'malformed' },
  { type: 'status', status: 502 },
];

/** How long many events may take on a busy machine. */
const MANY_MS = 300_000;

/** Platforms that keep events for a bot that is not connected. */
const keepsEvents = ({ isLive }: ChannelBench) => (isLive ? undefined : true);

export function describeReceiving(suite: Suite): void {
  const { describe } = suite;
  describe('receiving', () => {
    describeStoring(suite);
    describeRepeats(suite);
    describeManyEvents(suite);
  });
  describe('a received message', () => describeContent(suite));
  describe('the connection', () => {
    describeConnection(suite);
    describeEnds(suite);
  });
}

function describeStoring({ verifies, expect }: Suite): void {
  verifies(
    'GW-1',
    'acknowledges an event only when it is stored',
    needing(
      ({ unacknowledged }) => unacknowledged,
      async (bench, unacknowledged) => {
        const storing = Promise.withResolvers<void>();
        const arrived = Promise.withResolvers<void>();
        await bench.say('one');
        const receiving = beginReceiving(bench, {
          beforeStoring() {
            arrived.resolve();
            return storing.promise;
          },
        });
        await arrived.promise;
        // Long enough for an acknowledgement that comes too early.
        await systemClock.sleep(50);
        expect(unacknowledged()).toBe(1);
        storing.resolve();
        await receiving.waitFor(1);
        // The first proof can belong to something that was sent before the event was stored.
        await receiving.waitForProof();
        await receiving.waitForProof();
        expect(unacknowledged()).toBe(0);
        await receiving.stop();
      },
    ),
  );

  verifies(
    'GW-1',
    'receives an event again that could not be stored',
    needing(keepsEvents, async (bench) => {
      await bench.say('one');
      const failing = beginReceiving(bench, {
        beforeStoring: (events) =>
          events.length > 0 ? Promise.reject(new Error('the disk is full')) : Promise.resolve(),
      });
      expect(await failing.ended).toEqual(new Error('the disk is full'));
      expect(failing.events).toEqual([]);
      const receiving = startReceiving(bench.open(), { cursor: failing.cursor });
      await receiving.waitFor(1);
      expect(textsOf(receiving.events)).toEqual(['one']);
      await receiving.stop();
    }),
  );

  verifies(
    'GW-1',
    'continues from the cursor after a restart',
    needing(keepsEvents, async (bench) => {
      await bench.say('one');
      const first = beginReceiving(bench);
      await first.waitFor(1);
      await first.stop();
      await bench.say('two');
      const second = startReceiving(bench.open(), { cursor: first.cursor });
      await second.waitFor(1);
      expect(textsOf(second.events)).toEqual(['two']);
      await second.stop();
    }),
  );
}

function describeRepeats({ it, verifies, expect }: Suite): void {
  verifies(
    'GW-7',
    'gives copies of an event one id, in any order, also after a lost acknowledgement',
    needing(
      ({ setDelivery }) => setDelivery,
      async (bench, setDelivery) => {
        setDelivery({ copies: 3, order: 'shuffled', lostAcknowledgements: 2 });
        for (let number = 0; number < 20; number += 1) await bench.say(`message ${number}`);
        const receiving = beginReceiving(bench);
        await receiving.waitFor(20);
        await receiving.waitForProof();
        expect(textsOf(receiving.events)).toEqual(Array.from({ length: 20 }, (_, number) => `message ${number}`));
        await receiving.stop();
      },
    ),
  );

  it(
    'gives an event the same id in another process',
    needing(keepsEvents, async (bench) => {
      await bench.say('one');
      const ids: (string | undefined)[] = [];
      for (let process = 0; process < 2; process += 1) {
        let seen: string | undefined;
        const receiving = beginReceiving(bench, {
          beforeStoring([event]) {
            seen = event?.id ?? seen;
            return event === undefined ? Promise.resolve() : Promise.reject(new Error('the disk is full'));
          },
        });
        await receiving.ended;
        ids.push(seen);
      }
      expect(ids[0]).toBeDefined();
      expect(ids[1]).toBe(ids[0]);
    }),
  );
}

function describeManyEvents({ it, amount, expect }: Suite): void {
  it(
    'skips unknown kinds of events without losing its position',
    needing(
      ({ sayUnknown }) => sayUnknown,
      async (bench, sayUnknown) => {
        const receiving = await connect(bench);
        await sayUnknown();
        await bench.say('known');
        await sayUnknown();
        await receiving.waitFor(1);
        await receiving.waitForProof();
        await receiving.waitForProof();
        expect(textsOf(receiving.events)).toEqual(['known']);
        expect(bench.unacknowledged?.() ?? 0).toBe(0);
        await receiving.stop();
      },
    ),
  );

  const receiveMany = async (bench: ChannelBench) => {
    const count = amount(300, bench.isLive ? 1000 : 10_000);
    const receiving = bench.isLive ? await connect(bench) : undefined;
    for (let number = 0; number < count; number += 1) await bench.say(`${number}`);
    const used = receiving ?? beginReceiving(bench);
    await used.waitFor(count);
    expect(textsOf(used.events)).toEqual(Array.from({ length: count }, (_, number) => `${number}`));
    expect(new Set(used.events.map(({ id }) => id)).size).toBe(count);
    await used.stop();
  };
  it('receives 10,000 events', receiveMany, MANY_MS);
}

/** Characters of many scripts and what platforms use as markup. */
const TEXTS = ['Grüße, 世界! 👩‍👩‍👧', 'שלום (hello)', '*a* _b_ `c` ~d~', '{"json": [1, 2]}', '100% $x #1 @ ^'];

function describeContent({ it, expect }: Suite): void {
  for (const text of TEXTS) {
    it(`has the text that the user wrote: ${text}`, async (bench) => {
      const receiving = await connect(bench);
      const { content } = await nextEvent(receiving, () => bench.say(text));
      expect(content.text).toBe(text);
      await receiving.stop();
    });
  }

  it('names its chat, its sender and its time', async (bench) => {
    const channel = bench.open();
    const receiving = await connect(bench, channel);
    const { kind, source, sentAt, content } = await nextEvent(receiving, () => bench.say('hello'));
    expect({ kind, platform: source.platform, chatId: source.chatId, chatType: source.chatType }).toEqual({
      kind: 'message',
      platform: channel.facts.platform,
      chatId: bench.target.chatId,
      chatType: 'dm',
    });
    expect(source.userId?.trim() ?? '').not.toBe('');
    expect(content.messageId).not.toBe('');
    // Platforms have clocks of their own.
    expect(Math.abs(sentAt - Date.now())).toBeLessThan(3_600_000);
    await receiving.stop();
  });

  it('is meant for the bot in a direct chat', async (bench) => {
    const receiving = await connect(bench);
    const { content } = await nextEvent(receiving, () => bench.say('hello'));
    expect(content.isAddressed).toBe(true);
    expect(content.isFromBot ?? false).toBe(false);
    expect(content.files).toEqual([]);
    await receiving.stop();
  });

  it('has the same sender each time, and an id of its own', async (bench) => {
    const receiving = await connect(bench);
    const first = await nextEvent(receiving, () => bench.say('one'));
    const second = await nextEvent(receiving, () => bench.say('one'));
    expect(second.source.userId).toBe(first.source.userId);
    expect(second.id).not.toBe(first.id);
    await receiving.stop();
  });

  it('is never one of the bot', async (bench) => {
    const channel = bench.open();
    const receiving = await connect(bench, channel);
    await sendText(channel, bench, 'from the bot');
    await nextEvent(receiving, () => bench.say('from the user'));
    await receiving.waitForProof();
    expect(textsOf(receiving.events)).toEqual(['from the user']);
    await receiving.stop();
  });
}

function describeConnection({ it, verifies, expect }: Suite): void {
  verifies('GW-14', 'proves that it works while nothing happens', async (bench) => {
    const receiving = await connect(bench);
    await receiving.waitForProof();
    expect(receiving.events).toEqual([]);
    await receiving.stop();
  });

  for (const fault of RECEIVING_FAULTS) {
    it(
      `fails with a transient fault and receives everything later: ${JSON.stringify(fault)}`,
      needing(
        ({ failReceiving }) => failReceiving,
        async (bench, failReceiving) => {
          failReceiving(fault);
          if (!bench.isLive) await bench.say('one');
          const broken = beginReceiving(bench, { pace: needsTimeout(fault) ? 'hasty' : 'patient' });
          const error = await broken.ended;
          expect(error).toMatchObject({ fault: 'transient' });
          requireNoSecret(bench, error);
          const receiving = startReceiving(bench.open(), { cursor: broken.cursor });
          if (bench.isLive) await receiving.waitForProof().then(() => bench.say('one'));
          // A platform that sends events by itself may have done so before the connection failed.
          await receiving.waitFor(1 - broken.events.length);
          expect(textsOf([...broken.events, ...receiving.events])).toEqual(['one']);
          await receiving.stop();
        },
      ),
    );
  }

  it(
    'reports how long it should wait',
    needing(
      ({ failReceiving }) => failReceiving,
      async (bench, failReceiving) => {
        failReceiving({ type: 'rate_limit', retryAfter: 7 });
        const error = await beginReceiving(bench).ended;
        expect(error).toMatchObject({ fault: 'rate_limited', retryAfterMs: 7000 });
      },
    ),
  );

  verifies(
    'GW-16',
    'is fatal without a valid token',
    needing(
      ({ revoke }) => revoke,
      async (bench, revoke) => {
        revoke();
        const channel = bench.open();
        const error = await failed(channel.identify(soon()));
        expect(error).toMatchObject({ fault: 'fatal' });
        requireNoSecret(bench, error);
        const ended = await startReceiving(channel).ended;
        expect(ended).toMatchObject({ fault: 'fatal' });
        requireNoSecret(bench, ended);
      },
    ),
  );
}

function describeEnds({ it, expect }: Suite): void {
  it(
    'ends immediately when it is aborted, also on a silent connection',
    needing(
      ({ failReceiving }) => failReceiving,
      async (bench, failReceiving) => {
        const receiving = await connect(bench);
        failReceiving({ type: 'silence' });
        await new Promise(setImmediate);
        await receiving.stop();
        expect(await receiving.ended).toBeUndefined();
      },
    ),
  );

  it('ends immediately when it is aborted while it connects', async (bench) => {
    const receiving = beginReceiving(bench);
    await receiving.stop();
    expect(await receiving.ended).toBeUndefined();
  });

  it('ends immediately when it is aborted after a message', async (bench) => {
    const receiving = await connect(bench);
    await nextEvent(receiving, () => bench.say('one'));
    await receiving.stop();
    expect(await receiving.ended).toBeUndefined();
  });

  it('works again on the same channel', async (bench) => {
    const channel = bench.open();
    const first = await connect(bench, channel);
    await nextEvent(first, () => bench.say('one'));
    await first.stop();
    const second = startReceiving(channel, { cursor: first.cursor });
    await second.waitForProof();
    await nextEvent(second, () => bench.say('two'));
    expect(textsOf(second.events)).toEqual(['two']);
    await second.stop();
  });
}
