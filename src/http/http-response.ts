import type { ServerResponse } from 'node:http';
import type { Clock, JsonValue } from '../base/index.ts';

/** What a handler returns. `events` is sent as a stream of server-sent events, each when it is produced. */
export type HttpResponse = { status?: number; headers?: Readonly<Record<string, string>> } & (
  | { json: JsonValue }
  | { bytes: string | Uint8Array; mediaType: string }
  | { events: AsyncIterable<ServerSentEvent> }
  | { empty: true }
);

/** `id` lets a client continue after it, with the header `Last-Event-ID`. */
export type ServerSentEvent = { data: string; event?: string; id?: string };

/** Proxies close connections without data after a minute or less. */
const KEEP_ALIVE_MS = 15_000;
/** A client that reads nothing for this time is gone. */
const STALLED_MS = 60_000;

const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

export type SendOptions = {
  /** Headers that the server adds, such as those of CORS. */
  headers: Readonly<Record<string, string>>;
  clock: Clock;
  /** Aborted when the client is gone or the server closes. */
  signal: AbortSignal;
};

/** Sends a response. Resolves when all of it was passed to the connection, or the client is gone. */
export async function sendResponse(
  outgoing: ServerResponse,
  response: HttpResponse,
  options: SendOptions,
): Promise<void> {
  const headers: Record<string, string> = { ...COMMON, ...options.headers, ...response.headers };
  const status = response.status ?? 200;
  if ('events' in response) {
    outgoing.writeHead(status, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    outgoing.flushHeaders();
    await sendEvents(outgoing, response.events, options);
    return;
  }
  const content = 'json' in response ? JSON.stringify(response.json) : 'bytes' in response ? response.bytes : '';
  if ('json' in response) headers['content-type'] = 'application/json';
  if ('bytes' in response) headers['content-type'] = response.mediaType;
  if (status !== 204) headers['content-length'] = String(Buffer.byteLength(content));
  outgoing.writeHead(status, headers);
  outgoing.end(status === 204 ? undefined : content);
}

async function sendEvents(
  outgoing: ServerResponse,
  events: AsyncIterable<ServerSentEvent>,
  { clock, signal }: SendOptions,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  const gone = aborted(signal);
  try {
    for (let next = iterator.next(); ; ) {
      const turn = await nextTurn(next, gone.promise, clock);
      if (turn === 'gone') break;
      if (turn === 'silence') {
        if (!(await write(outgoing, ':\n\n', signal))) break;
        continue;
      }
      if (turn.done === true || !(await write(outgoing, formatEvent(turn.value), signal))) break;
      next = iterator.next();
    }
  } finally {
    gone.release();
    // An iterator that waits for something would settle this only afterwards, so it is not awaited.
    void iterator.return?.()?.catch(() => undefined);
    outgoing.end();
  }
}

type Turn = IteratorResult<ServerSentEvent> | 'gone' | 'silence';

async function nextTurn(
  next: Promise<IteratorResult<ServerSentEvent>>,
  gone: Promise<'gone'>,
  clock: Clock,
): Promise<Turn> {
  const timer = new AbortController();
  const silence = clock.sleep(KEEP_ALIVE_MS, timer.signal).then(
    () => 'silence' as const,
    () => 'silence' as const,
  );
  try {
    return await Promise.race([next, gone, silence]);
  } finally {
    timer.abort();
  }
}

function aborted(signal: AbortSignal): { promise: Promise<'gone'>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<'gone'>();
  const onAbort = () => resolve('gone');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return { promise, release: () => signal.removeEventListener('abort', onAbort) };
}

/** Waits until the client has read enough. Returns false if it is gone. */
async function write(outgoing: ServerResponse, text: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || outgoing.destroyed) return false;
  if (outgoing.write(text)) return true;
  const drained = Promise.withResolvers<boolean>();
  const onDrain = () => drained.resolve(true);
  const onClose = () => drained.resolve(false);
  const timer = setTimeout(onClose, STALLED_MS);
  outgoing.on('drain', onDrain).on('close', onClose);
  try {
    const isDrained = await drained.promise;
    if (!isDrained) outgoing.destroy();
    return isDrained;
  } finally {
    clearTimeout(timer);
    outgoing.off('drain', onDrain).off('close', onClose);
  }
}

/** A line break inside a field would end it, and could start another one. */
function formatEvent({ data, event, id }: ServerSentEvent): string {
  const oneLine = (text: string) => text.replaceAll(/[\r\n\0]/g, ' ');
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  if (event !== undefined) lines.unshift(`event: ${oneLine(event)}\n`);
  if (id !== undefined) lines.unshift(`id: ${oneLine(id)}\n`);
  return `${lines.join('')}\n`;
}
