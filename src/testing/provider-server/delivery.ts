import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { systemClock } from '../../base/index.ts';

/** Everything that is going to happen on the wire for one request. */
export type Delivery = {
  /** Before the headers: a wait, silence, or a reset. */
  opening?: { wait: number | Promise<unknown> } | 'stall' | 'reset';
  status: number;
  headers: OutgoingHttpHeaders;
  pieces: readonly (string | Buffer)[];
  delayMs: number;
  ending: 'end' | 'stall' | 'destroy';
};

/** Plays a delivery. Rejects where the client leaves before the end. */
export async function deliver(delivery: Delivery, response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (delivery.opening === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (delivery.opening === 'stall') await untilGone(gone);
  else if (delivery.opening !== undefined) await waitFor(delivery.opening.wait, gone);
  response.writeHead(delivery.status, delivery.headers);
  // Without this, headers wait for the first piece, and a stall behind them would look like one before them.
  response.flushHeaders();
  for (const [index, piece] of delivery.pieces.entries()) {
    if (index > 0 && delivery.delayMs > 0) await systemClock.sleep(delivery.delayMs, gone);
    await write(piece, response, gone);
  }
  if (delivery.ending === 'stall') await untilGone(gone);
  // Soon, not now: what was written before the cut must arrive.
  else if (delivery.ending === 'destroy') response.socket?.destroySoon();
  else response.end();
}

async function write(piece: string | Buffer, response: ServerResponse, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  // A slow reader holds the server back, so that a huge answer is not all in memory at once.
  if (!response.write(piece)) await once(response, 'drain', { signal: gone });
}

async function waitFor(what: number | Promise<unknown>, gone: AbortSignal): Promise<void> {
  // A promise that rejects releases as well; the script's own trouble is not the client's.
  if (typeof what === 'number') await systemClock.sleep(what, gone);
  else await Promise.race([what.catch(() => undefined), untilGone(gone)]);
}

function untilGone(gone: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = () => reject(gone.reason as Error);
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  });
}
