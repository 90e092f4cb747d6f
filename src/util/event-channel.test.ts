import { describe, expect, it } from 'vitest';
import { createEventChannel } from './event-channel.ts';

type Event = { type: 'delta'; text: string } | { type: 'step' } | { type: 'end' };

function channelOfEvents() {
  return createEventChannel<Event>({
    merge: (a, b) => (a.type === 'delta' && b.type === 'delta' ? { type: 'delta', text: a.text + b.text } : undefined),
    isLast: (event) => event.type === 'end',
  });
}

async function readAll(channel: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of channel) events.push(event);
  return events;
}

describe('event channel', () => {
  it('keeps order, merges waiting deltas and ends after the last event', async () => {
    const channel = channelOfEvents();
    const reading = readAll(channel);
    channel.push({ type: 'delta', text: 'a' });
    channel.push({ type: 'delta', text: 'b' });
    channel.push({ type: 'step' });
    channel.push({ type: 'delta', text: 'c' });
    channel.push({ type: 'end' });
    channel.push({ type: 'step' });
    expect(await reading).toEqual([
      { type: 'delta', text: 'ab' },
      { type: 'step' },
      { type: 'delta', text: 'c' },
      { type: 'end' },
    ]);
  });

  it('queues nothing without a reader, and still hands a late one the last event', async () => {
    const channel = channelOfEvents();
    for (let count = 0; count < 1_000; count += 1) channel.push({ type: 'step' });
    channel.push({ type: 'end' });
    expect(await readAll(channel)).toEqual([{ type: 'end' }]);
  });

  it('lets another reader in after one that left before its first event', async () => {
    const channel = channelOfEvents();
    await channel[Symbol.asyncIterator]().return?.();
    channel.push({ type: 'end' });
    expect(await readAll(channel)).toEqual([{ type: 'end' }]);
  });

  it('wakes a reader that waits', async () => {
    const channel = channelOfEvents();
    const iterator = channel[Symbol.asyncIterator]();
    const first = iterator.next();
    channel.push({ type: 'step' });
    expect(await first).toEqual({ done: false, value: { type: 'step' } });
  });

  it('forgets what waits when the reader leaves, and refuses a second reader', async () => {
    const channel = channelOfEvents();
    for await (const event of readFirst(channel)) expect(event).toEqual({ type: 'step' });
    channel.push({ type: 'step' });
    channel.push({ type: 'end' });
    expect(await readAll(channel)).toEqual([{ type: 'end' }]);

    const busy = channelOfEvents();
    busy[Symbol.asyncIterator]();
    expect(() => busy[Symbol.asyncIterator]()).toThrow(/one reader/);
  });
});

async function* readFirst(channel: ReturnType<typeof channelOfEvents>): AsyncGenerator<Event> {
  const iterator = channel[Symbol.asyncIterator]();
  channel.push({ type: 'step' });
  channel.push({ type: 'step' });
  const { value } = await iterator.next();
  await iterator.return?.();
  yield value as Event;
}
