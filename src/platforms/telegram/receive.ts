import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { ChannelError, type ReceiveOptions } from '../../contracts/index.ts';
import type { BotApi } from './bot-api.ts';
import { numberAt } from '../json-fields.ts';
import { readUpdate, sortUpdates, UPDATE_KINDS, type UpdateReader } from './read-update.ts';

export type PollOptions = {
  /** How long Telegram waits for an update before it answers with none. */
  pollMs: number;
  /** How much longer than that the answer may take. */
  graceMs: number;
};

const BATCH = 100;
/** When another program polls with the same token, each poll ends the previous one. */
const CONFLICT_WAIT_MS = 30_000;

/**
 * Polls until the signal is aborted. The offset of a poll confirms all updates before it, so it is raised only when the
 * events of these updates are stored.
 */
export async function receiveUpdates(
  api: BotApi,
  reader: UpdateReader,
  { cursor, deliver, onAlive, signal, pollMs, graceMs }: ReceiveOptions & PollOptions,
): Promise<void> {
  let offset = numberAt(cursor, 'offset');
  while (!signal.aborted) {
    const updates = await poll(api, { offset, pollMs, graceMs, signal });
    onAlive();
    const last = updates.at(-1);
    if (last === undefined) continue;
    const events = updates.flatMap(({ update }) => readUpdate(update, reader) ?? []);
    // Also if it is lower than before: after a week without updates, Telegram starts with another number.
    const next = last.id + 1;
    await deliver(events, { offset: next });
    offset = next;
  }
}

type Poll = PollOptions & { offset: number | undefined; signal: AbortSignal };

async function poll(api: BotApi, { offset, pollMs, graceMs, signal }: Poll) {
  const parameters: JsonObject = { timeout: pollMs / 1000, limit: BATCH, allowed_updates: UPDATE_KINDS };
  if (offset !== undefined) parameters['offset'] = offset;
  const options = { signal, isRepeatable: true, silenceMs: pollMs + graceMs };
  try {
    const result = await api.call('getUpdates', parameters, options);
    return readUpdates(result);
  } catch (error) {
    throw explainConflict(error);
  }
}

function readUpdates(result: JsonValue) {
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
