import { isJsonObject, type JsonObject, type JsonValue, systemClock } from '../../base/index.ts';
import { ChannelError, type ReceiveOptions } from '../../contracts/index.ts';
import type { BotApi } from './bot-api.ts';
import { numberAt } from '../json-fields.ts';
import { isInAlbum, readUpdates, sortUpdates, UPDATE_KINDS, type UpdateReader } from './read-update.ts';

export type PollOptions = {
  /** How long Telegram waits for an update before it answers with none. */
  pollMs: number;
  /** How much longer than that the answer may take. */
  graceMs: number;
  /** How long the other messages of an album are waited for. */
  albumMs: number;
};

const BATCH = 100;
/** How often the messages of an album are waited for. Commands wait for that long, too. */
const ALBUM_ROUNDS = 2;
/** When another program polls with the same token, each poll ends the previous one. */
const CONFLICT_WAIT_MS = 30_000;

/**
 * Polls until the signal is aborted. The offset of a poll confirms all updates before it, so it is raised only when the
 * events of these updates are stored.
 */
export async function receiveUpdates(
  api: BotApi,
  reader: UpdateReader,
  { cursor, deliver, onAlive, signal, ...times }: ReceiveOptions & PollOptions,
): Promise<void> {
  let offset = numberAt(cursor, 'offset');
  // The first poll does not wait for updates, so that the connection is known to work immediately.
  let waiting = withoutWaiting(times);
  while (!signal.aborted) {
    const { updates, events } = await pollAlbums(api, reader, { ...times, ...waiting, offset, signal });
    waiting = times;
    onAlive();
    const last = updates.at(-1);
    if (last === undefined) continue;
    // Also if it is lower than before: after a week without updates, Telegram starts with another number.
    const next = last.id + 1;
    await deliver(events, { offset: next });
    offset = next;
  }
}

type Poll = PollOptions & { offset: number | undefined; signal: AbortSignal };

/** Polls. If there is a part of an album, polls again for its other parts before anything is confirmed. */
async function pollAlbums(api: BotApi, reader: UpdateReader, options: Poll) {
  const read = (updates: ReturnType<typeof toUpdates>) => ({
    updates,
    events: readUpdates(
      updates.map(({ update }) => update),
      reader,
    ),
  });
  let polled = read(await poll(api, options));
  for (let round = 0; round < ALBUM_ROUNDS && polled.updates.length < BATCH; round += 1) {
    if (!polled.events.some(isInAlbum)) break;
    await systemClock.sleep(options.albumMs, options.signal);
    const again = await poll(api, { ...options, ...withoutWaiting(options) });
    if (again.length <= polled.updates.length) break;
    polled = read(again);
  }
  return polled;
}

/** A poll that returns immediately, but may take as long as one that waits. */
function withoutWaiting({ pollMs, graceMs }: PollOptions): Pick<PollOptions, 'pollMs' | 'graceMs'> {
  return { pollMs: 0, graceMs: pollMs + graceMs };
}

async function poll(api: BotApi, { offset, pollMs, graceMs, signal }: Poll) {
  const parameters: JsonObject = { timeout: pollMs / 1000, limit: BATCH, allowed_updates: UPDATE_KINDS };
  if (offset !== undefined) parameters['offset'] = offset;
  const options = { signal, isRepeatable: true, silenceMs: pollMs + graceMs };
  try {
    const result = await api.call('getUpdates', parameters, options);
    return toUpdates(result);
  } catch (error) {
    throw explainConflict(error);
  }
}

function toUpdates(result: JsonValue) {
  const updates = Array.isArray(result) ? sortUpdates(result.filter(isJsonObject)) : undefined;
  // Without ids, the same updates would be received again immediately.
  if (updates === undefined || (updates.length === 0 && (result as JsonValue[]).length > 0)) {
    throw new ChannelError('transient', 'Telegram: the response to getUpdates is not valid.');
  }
  return updates;
}

function explainConflict(error: unknown): unknown {
  if (!(error instanceof ChannelError) || !/\bConflict\b/.test(error.message)) return error;
  return new ChannelError('transient', 'Another program receives the messages of this Telegram bot.', {
    retryAfterMs: CONFLICT_WAIT_MS,
    hint: 'Stop the other program, or create another bot with @BotFather and use its token.',
  });
}
