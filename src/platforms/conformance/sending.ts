import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { ChannelError, type Channel, type ChannelFault } from '../../contracts/index.ts';
import type { PlatformFault } from '../../testing/index.ts';
import { type ChannelBench, needsTimeout } from './channel-bench.ts';
import { expectNoSecret } from './receiving.ts';

/** Each fault, what the adapter makes of it, and whether the message is in the chat. */
const SENDING_FAULTS: readonly [PlatformFault, ChannelFault, boolean][] = [
  [{ type: 'reset' }, 'uncertain', false],
  [{ type: 'lost' }, 'uncertain', true],
  [{ type: 'cut' }, 'uncertain', true],
  [{ type: 'malformed' }, 'uncertain', true],
  [{ type: 'silence', accepted: true }, 'uncertain', true],
  [{ type: 'silence' }, 'uncertain', false],
  [{ type: 'drip', everyMs: 300 }, 'uncertain', true],
  [{ type: 'accepted', status: 504 }, 'uncertain', true],
  [{ type: 'status', status: 500 }, 'transient', false],
  [{ type: 'status', status: 503 }, 'transient', false],
  [{ type: 'status', status: 403 }, 'forbidden', false],
  [{ type: 'rate_limit', retryAfter: 3 }, 'rate_limited', false],
];

const soon = () => AbortSignal.timeout(20_000);
const failed = (sending: Promise<unknown>) =>
  sending.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Repeats a call of a hasty channel until it does not time out. */
async function untilDone(call: () => Promise<unknown>): Promise<void> {
  while ((await failed(call())) !== undefined);
}

export const sendText = (channel: Channel, bench: ChannelBench, text: string) =>
  channel.send({ target: bench.target, content: { text } }, { key: text, mayHaveArrived: false, signal: soon() });

export function describeSending(bench: () => ChannelBench): void {
  describe('sending', () => {
    it.each(SENDING_FAULTS)('maps %j to %s', async (fault, expected, arrives) => {
      const channel = bench().open(needsTimeout(fault) ? 'hasty' : 'patient');
      // The message is then sent on a connection that exists, so that a timeout cannot end the attempt to connect.
      await untilDone(() => channel.identify(soon()));
      bench().failSending(fault);
      const error = await failed(sendText(channel, bench(), 'hello'));
      expect([error instanceof ChannelError, error]).toMatchObject([true, { fault: expected }]);
      expectNoSecret(bench(), error);
      await vi.waitFor(() => expect(bench().texts()).toEqual(arrives ? ['hello'] : []), 5000);
      // The channel still works.
      await untilDone(() => sendText(channel, bench(), 'again'));
      expect(bench().texts().at(-1)).toBe('again');
      await channel.close();
    });

    it('reports how long a rate limit lasts', async () => {
      bench().failSending({ type: 'rate_limit', retryAfter: 3 });
      expect(await failed(sendText(bench().open(), bench(), 'hello'))).toMatchObject({ retryAfterMs: 3000 });
    });

    verifies('GW-2', 'sends a message once, even if it is repeated, where the platform can tell', async () => {
      const channel = bench().open();
      const message = { target: bench().target, content: { text: 'hello' } };
      bench().failSending({ type: 'lost' });
      expect(await failed(channel.send(message, { key: 'one', mayHaveArrived: false, signal: soon() }))).toBeDefined();
      await channel.send(message, { key: 'one', mayHaveArrived: true, signal: soon() });
      const isRecognised = channel.facts.repeats !== 'none';
      expect(bench().texts()).toEqual(isRecognised ? ['hello'] : ['hello', 'hello']);
      await channel.send(message, { key: 'two', mayHaveArrived: false, signal: soon() });
      expect(bench().texts()).toHaveLength(isRecognised ? 2 : 3);
    });

    it('is uncertain about a message whose sending was aborted', async () => {
      bench().failSending({ type: 'silence', accepted: true });
      const stopping = new AbortController();
      const message = { target: bench().target, content: { text: 'hello' } };
      const sending = bench().open().send(message, { key: 'a', mayHaveArrived: false, signal: stopping.signal });
      const outcome = failed(sending);
      while (bench().texts().length === 0) await new Promise(setImmediate);
      stopping.abort();
      expect(await outcome).toMatchObject({ fault: 'uncertain' });
    });

    it('rejects a text that is too long without sending a part of it', async () => {
      const channel = bench().open();
      const error = await failed(sendText(channel, bench(), 'x'.repeat(channel.facts.maxText + 1)));
      expect(error).toMatchObject({ fault: 'too_long' });
      expect(bench().texts()).toEqual([]);
    });

    it('reports an unknown chat', async () => {
      const message = { target: { chatId: '77' }, content: { text: 'hello' } };
      const sending = bench().open().send(message, { key: 'a', mayHaveArrived: false, signal: soon() });
      expect(['not_found', 'forbidden']).toContain(((await failed(sending)) as ChannelError).fault);
    });
  });

  describe('editing', () => {
    verifies('GW-6', 'replaces the text, and accepts the same text again', async () => {
      const channel = bench().open();
      const { id } = await sendText(channel, bench(), 'one');
      await channel.edit(bench().target, id, { text: 'two' }, soon());
      await channel.edit(bench().target, id, { text: 'two' }, soon());
      expect(bench().texts()).toEqual(['two']);
    });

    it('reports a message that does not exist any more', async () => {
      const channel = bench().open();
      const { id } = await sendText(channel, bench(), 'one');
      await channel.remove?.(bench().target, id, soon());
      expect(bench().texts()).toEqual([]);
      const error = await failed(channel.edit(bench().target, id, { text: 'two' }, soon()));
      expect(error).toMatchObject({ fault: 'not_found' });
      // Deleting is done when the message is gone.
      await channel.remove?.(bench().target, id, soon());
    });
  });
}
