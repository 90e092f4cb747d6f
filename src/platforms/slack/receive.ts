import { systemClock } from '../../base/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { ChannelError, type ChannelEvent, type ReceiveOptions } from '../../contracts/index.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';
import type { AppConnection, Envelope } from './app-connection.ts';

export type ReceiveFrom = {
  connection: AppConnection;
  team: string;
  /** The events of envelopes, in the same order. */
  read(envelopes: readonly Envelope[], signal: AbortSignal): Promise<ChannelEvent[]>;
  /** Events are stored together when nothing has arrived for this time. */
  collectMs: number;
  /** Called with the number of envelopes that wait to be stored. */
  onQueued(count: number): void;
};

const MAX_BATCH = 500;
const MAX_ROUNDS = 20;
/** With more envelopes that are not stored, the connection ends; Slack delivers them again afterwards. */
export const MAX_QUEUED = 20_000;

/**
 * Receives until the signal is aborted. An envelope is acknowledged only when its events are stored. Slack delivers
 * events that happen at the same time in any order, so those that arrive together are sorted by their time.
 */
export async function receiveEnvelopes(from: ReceiveFrom, receiving: ReceiveOptions): Promise<void> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([receiving.signal, stopping.signal]);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const queue: Envelope[] = [];
  let isWorking = false;

  /** Waits until nothing more arrives. */
  async function collect(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS && queue.length < MAX_BATCH; round += 1) {
      const size = queue.length;
      await systemClock.sleep(from.collectMs, signal);
      if (queue.length === size) return;
    }
  }

  async function work(): Promise<void> {
    isWorking = true;
    while (queue.length > 0) {
      await collect();
      const batch = sortByTime(queue.splice(0, MAX_BATCH));
      const events = await from.read(batch, signal);
      if (signal.aborted) return;
      // Slack keeps no position: what was not acknowledged is delivered again.
      if (events.length > 0) await receiving.deliver(events, {});
      for (const { acknowledge } of batch) acknowledge();
      from.onQueued(queue.length);
    }
    isWorking = false;
  }

  const receiver = {
    team: from.team,
    onAlive: receiving.onAlive,
    onEnvelope(envelope: Envelope) {
      queue.push(envelope);
      from.onQueued(queue.length);
      if (queue.length > MAX_QUEUED)
        failed.reject(new ChannelError('transient', 'Events arrive faster than they are stored.'));
      if (!isWorking) work().catch(failed.reject);
    },
  };
  try {
    await Promise.race([from.connection.receive(receiver, signal), failed.promise]);
  } finally {
    stopping.abort();
    from.onQueued(0);
  }
}

function sortByTime(envelopes: readonly Envelope[]): Envelope[] {
  let last = '';
  // What has no time stays behind what arrived before it.
  const timed = envelopes.map((envelope) => ({ envelope, time: (last = timeOf(envelope.payload) ?? last) }));
  return timed.sort((a, b) => Number(a.time) - Number(b.time)).map(({ envelope }) => envelope);
}

function timeOf(payload: JsonObject): string | undefined {
  const event = objectAt(payload, 'event');
  return (
    textAt(event, 'event_ts') ?? textAt(event, 'ts') ?? textAt(listAt(payload, 'actions')[0], 'action_ts') ?? undefined
  );
}
