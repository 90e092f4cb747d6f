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

  it('queues nothing without a reader, but gives a late reader the last event', async () => {
    const channel = channelOfEvents();
    for (let count = 0; count < 1_000; count += 1) channel.push({ type: 'step' });
    channel.push({ type: 'end' });
    expect(await readAll(channel)).toEqual([{ type: 'end' }]);
  });

  it('accepts another reader after one that left before its first event', async () => {
    const channel = channelOfEvents();
    await channel[Symbol.asyncIterator]().return?.();
    channel.push({ type: 'end' });
    expect(await readAll(channel)).toEqual([{ type: 'end' }]);
  });

  it('wakes a waiting reader', async () => {
    const channel = channelOfEvents();
    const iterator = channel[Symbol.asyncIterator]();
    const first = iterator.next();
    channel.push({ type: 'step' });
    expect(await first).toEqual({ done: false, value: { type: 'step' } });
  });

  it('discards queued events when a reader leaves', async () => {
    const channel = channelOfEvents();
    for await (const event of readFirst(channel)) expect(event).toEqual({ type: 'step' });
    channel.push({ type: 'step' });
    channel.push({ type: 'end' });
    expect(await readAll(channel)).toEqual([{ type: 'end' }]);
  });

  it('delivers all events to each of several readers, merged only as far as that reader is behind', async () => {
    const channel = channelOfEvents();
    const slow = channel.read();
    const quick = channel.read();
    const seen: unknown[] = [];
    for (const text of ['a', 'b', 'c']) {
      channel.push({ type: 'delta', text });
      seen.push((await quick.next()).value);
    }
    channel.push({ type: 'end' });
    expect(seen).toEqual(['a', 'b', 'c'].map((text) => ({ type: 'delta', text })));
    expect(await readAll({ [Symbol.asyncIterator]: () => slow })).toEqual([
      { type: 'delta', text: 'abc' },
      { type: 'end' },
    ]);
    expect(await readAll({ [Symbol.asyncIterator]: () => quick })).toEqual([{ type: 'end' }]);
  });

  it('keeps delivering to the other readers when one leaves', async () => {
    const channel = channelOfEvents();
    const [leaving, staying] = [channel.read(), channel.read()];
    await leaving.return?.();
    channel.push({ type: 'step' });
    expect(await leaving.next()).toEqual({ done: true, value: undefined });
    expect(await staying.next()).toEqual({ done: false, value: { type: 'step' } });
  });

  it('drops only droppable events for a reader that has fallen behind', async () => {
    const channel = createEventChannel<Event>({
      merge: () => undefined,
      isLast: (event) => event.type === 'end',
      isDroppable: (event) => event.type === 'delta',
    });
    const reader = channel.read({ maxQueued: 3 });
    for (const text of ['a', 'b']) channel.push({ type: 'delta', text });
    channel.push({ type: 'step' });
    channel.push({ type: 'step' });
    channel.push({ type: 'end' });
    const events = await readAll({ [Symbol.asyncIterator]: () => reader });
    expect(events).toEqual([{ type: 'step' }, { type: 'step' }, { type: 'end' }]);
  });

  it('does not search a full queue at every event', () => {
    let checks = 0;
    const channel = createEventChannel<Event>({
      merge: () => undefined,
      isLast: (event) => event.type === 'end',
      isDroppable: (event) => {
        checks += 1;
        return event.type === 'delta';
      },
    });
    const reader = channel.read({ maxQueued: 10 });
    for (let count = 0; count < 1_000; count += 1) channel.push({ type: 'step' });
    expect(reader.drain()).toHaveLength(1_000);
    expect(checks).toBeLessThanOrEqual(1_000);
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
