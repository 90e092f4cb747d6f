import { createHash } from 'node:crypto';
import { type Clock, canonicalJson, type JsonValue } from '../../../base/index.ts';
import { HttpError } from '../../../http/index.ts';
import type { ApiRequest } from '../api-context.ts';

/** Starts one piece of work for all requests with the same `Idempotency-Key`. */
export interface Idempotency<Work> {
  /** Returns the work that an equal request has started, or starts it. */
  share(request: ApiRequest, body: JsonValue, start: () => Work): Work;
}

const KEPT_MS = 5 * 60_000;
const MAX_KEYS = 1000;
const MAX_LENGTH = 255;

/** The headers that change in which session a request runs, and how. */
const PLACE_HEADERS = [
  'x-hermes-session-id',
  'x-hermes-session-key',
  'x-openwebui-chat-id',
  'x-openwebui-user-id',
  'hermes-approvals',
  'hermes-events',
];

type Entry<Work> = { work: Work; body: string; until: number };

/** `hasSucceeded` resolves when the work is done. Work that has failed is started again by the next request. */
export function createIdempotency<Work>(
  clock: Clock,
  hasSucceeded: (work: Work) => Promise<boolean>,
): Idempotency<Work> {
  const entries = new Map<string, Entry<Work>>();

  function prune(): void {
    const now = clock.now();
    for (const [key, { until }] of entries) if (until <= now || entries.size >= MAX_KEYS) entries.delete(key);
  }

  /** Keeps the work for a while after it has succeeded. */
  async function settle(key: string, entry: Entry<Work>): Promise<void> {
    const isKept = await hasSucceeded(entry.work).catch(() => false);
    if (isKept) entry.until = clock.now() + KEPT_MS;
    else if (entries.get(key) === entry) entries.delete(key);
  }

  return {
    share({ header, owner, path }, body, start) {
      const given = header('idempotency-key');
      if (given === undefined || given === '') return start();
      if (given.length > MAX_LENGTH)
        throw new HttpError(
          400,
          'invalid_idempotency_key',
          `The Idempotency-Key is longer than ${MAX_LENGTH} characters.`,
        );
      const key = JSON.stringify([owner, path, given]);
      const place = PLACE_HEADERS.map((name) => header(name) ?? '');
      const hash = createHash('sha256')
        .update(canonicalJson([body, ...place]))
        .digest('hex');
      const known = entries.get(key);
      if (known !== undefined && known.until > clock.now()) {
        if (known.body === hash) return known.work;
        throw new HttpError(422, 'idempotency_key_reused', 'The Idempotency-Key was used for another request.');
      }
      prune();
      const entry: Entry<Work> = { work: start(), body: hash, until: Number.POSITIVE_INFINITY };
      entries.set(key, entry);
      void settle(key, entry);
      return entry.work;
    },
  };
}
