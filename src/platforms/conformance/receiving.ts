import { describe, expect, it } from 'vitest';
import { dose } from '../../../test/support/dose.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import { systemClock } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import type { PlatformFault } from '../../testing/index.ts';
import { beginReceiving, type ChannelBench, needsTimeout, startReceiving, textsOf } from './channel-bench.ts';

const RECEIVING_FAULTS: readonly PlatformFault[] = [
  { type: 'reset' },
  { type: 'lost' },
  { type: 'cut' },
  { type: 'silence' },
  { type: 'drip', everyMs: 300 },
  { type: 'malformed' },
  { type: 'status', status: 502 },
];

export function describeReceiving(bench: () => ChannelBench): void {
  describe('receiving', () => {
    verifies('GW-1', 'acknowledges an event only when it is stored', async () => {
      const storing = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      bench().say('one');
      const receiving = beginReceiving(bench(), {
        beforeStoring() {
          arrived.resolve();
          return storing.promise;
        },
      });
      await arrived.promise;
      // Long enough for an acknowledgement that comes too early.
      await systemClock.sleep(50);
      expect(bench().unacknowledged()).toBe(1);
      storing.resolve();
      await receiving.waitFor(1);
      // The first proof can belong to something that was sent before the event was stored.
      await receiving.waitForProof();
      await receiving.waitForProof();
      expect(bench().unacknowledged()).toBe(0);
      await receiving.stop();
    });

    verifies('GW-1', 'receives an event again that could not be stored', async () => {
      bench().say('one');
      const failing = beginReceiving(bench(), {
        beforeStoring: () => Promise.reject(new Error('the disk is full')),
      });
      expect(await failing.ended).toEqual(new Error('the disk is full'));
      expect(failing.cursor).toEqual(bench().start);
      const receiving = beginReceiving(bench());
      await receiving.waitFor(1);
      expect(textsOf(receiving.events)).toEqual(['one']);
      await receiving.stop();
    });

    verifies('GW-1', 'continues from the cursor after a restart', async () => {
      bench().say('one');
      const first = beginReceiving(bench());
      await first.waitFor(1);
      await first.stop();
      bench().say('two');
      const second = startReceiving(bench().open(), { cursor: first.cursor });
      await second.waitFor(1);
      expect(textsOf(second.events)).toEqual(['two']);
      await second.stop();
    });

    verifies('GW-7', 'gives copies of an event one id, in any order, also after a lost acknowledgement', async () => {
      bench().setDelivery({ copies: 3, order: 'shuffled', lostAcknowledgements: 2 });
      for (let number = 0; number < 20; number += 1) bench().say(`message ${number}`);
      const receiving = beginReceiving(bench());
      await receiving.waitFor(20);
      await receiving.waitForProof();
      expect(textsOf(receiving.events)).toEqual(Array.from({ length: 20 }, (_, number) => `message ${number}`));
      await receiving.stop();
    });
  });

  describeManyEvents(bench);
  describeConnection(bench);
}

function describeManyEvents(bench: () => ChannelBench): void {
  describe('many events', () => {
    it('skips unknown kinds of events without losing its position', async () => {
      bench().sayUnknown();
      bench().say('known');
      bench().sayUnknown();
      const receiving = beginReceiving(bench());
      await receiving.waitFor(1);
      await receiving.waitForProof();
      await receiving.waitForProof();
      expect(textsOf(receiving.events)).toEqual(['known']);
      expect(bench().unacknowledged()).toBe(0);
      await receiving.stop();
    });

    it('receives 10,000 events', { timeout: 300_000 }, async () => {
      const count = dose(300, 10_000);
      for (let number = 0; number < count; number += 1) bench().say(`${number}`);
      const receiving = beginReceiving(bench());
      await receiving.waitFor(count);
      expect(textsOf(receiving.events)).toEqual(Array.from({ length: count }, (_, number) => `${number}`));
      await receiving.stop();
    });
  });
}

function describeConnection(bench: () => ChannelBench): void {
  describe('the connection', () => {
    verifies('GW-14', 'proves that it works while nothing happens', async () => {
      const receiving = beginReceiving(bench());
      await receiving.waitForProof();
      await receiving.waitForProof();
      expect(receiving.events).toEqual([]);
      await receiving.stop();
    });

    it.each(RECEIVING_FAULTS)('fails with a transient fault and receives everything later: %j', async (fault) => {
      bench().failReceiving(fault);
      bench().say('one');
      const broken = beginReceiving(bench(), { pace: needsTimeout(fault) ? 'hasty' : 'patient' });
      const error = await broken.ended;
      expect(error).toBeInstanceOf(ChannelError);
      expect(error).toMatchObject({ fault: 'transient' });
      expectNoSecret(bench(), error);
      const receiving = startReceiving(bench().open(), { cursor: broken.cursor });
      // A platform that sends events by itself may have done so before the connection failed.
      await receiving.waitFor(1 - broken.events.length);
      expect(textsOf([...broken.events, ...receiving.events])).toEqual(['one']);
      await receiving.stop();
    });

    it('reports how long it should wait', async () => {
      bench().failReceiving({ type: 'rate_limit', retryAfter: 7 });
      const error = await beginReceiving(bench()).ended;
      expect(error).toMatchObject({ fault: 'rate_limited', retryAfterMs: 7000 });
    });

    it('ends immediately when it is aborted, also on a silent connection', async () => {
      const receiving = beginReceiving(bench());
      await receiving.waitForProof();
      bench().failReceiving({ type: 'silence' });
      await new Promise(setImmediate);
      await receiving.stop();
      expect(await receiving.ended).toBeUndefined();
    });

    it('ends immediately when it is aborted while it connects', async () => {
      const receiving = beginReceiving(bench());
      await receiving.stop();
      expect(await receiving.ended).toBeUndefined();
    });

    verifies('GW-16', 'is fatal without a valid token', async () => {
      bench().revoke();
      const channel = bench().open();
      const error = await channel.identify(AbortSignal.timeout(5000)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ fault: 'fatal' });
      expectNoSecret(bench(), error);
      expect(await startReceiving(channel).ended).toMatchObject({ fault: 'fatal' });
    });
  });
}

/** Neither the error nor its causes contain the token. */
export function expectNoSecret({ secret }: ChannelBench, error: unknown): void {
  for (let thrown = error; thrown instanceof Error; thrown = thrown.cause) {
    const { message, stack } = thrown;
    const shown = `${message} ${stack} ${JSON.stringify(thrown)} ${JSON.stringify(Object.entries(thrown))}`;
    expect(shown).not.toContain(secret);
  }
}
