import type { Readable } from 'node:stream';

/** The text of a stream so far, and a way to wait for what comes. */
export type OutputWatch = {
  text(): string;
  /** Resolves with the match; rejects at the end of the stream or when the signal says that nobody cares any more. */
  waitFor(pattern: string | RegExp, signal: AbortSignal): Promise<string>;
};

type Waiter = { look(): void; giveUp(): void };

export function createOutputWatch(stream: Readable): OutputWatch {
  let text = '';
  let position = 0;
  let ended = false;
  const waiters = new Set<Waiter>();
  const each = (act: (waiter: Waiter) => void) => [...waiters].forEach(act);
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    each((waiter) => waiter.look());
  });
  stream.once('close', () => {
    ended = true;
    each((waiter) => waiter.giveUp());
  });
  return {
    text: () => text,
    waitFor: (pattern, signal) =>
      new Promise((resolve, reject) => {
        const forget = () => waiters.delete(waiter);
        const waiter: Waiter = {
          look() {
            const found = findAfter(text, position, pattern);
            if (found === undefined) return;
            position = found.end;
            forget();
            resolve(found.match);
          },
          giveUp() {
            forget();
            reject(new Error('the output ended'));
          },
        };
        waiters.add(waiter);
        signal.addEventListener('abort', forget, { once: true });
        waiter.look();
        if (ended && waiters.has(waiter)) waiter.giveUp();
      }),
  };
}

/** The first match behind `start`, and where it ends. */
function findAfter(text: string, start: number, pattern: string | RegExp) {
  const rest = text.slice(start);
  if (typeof pattern === 'string') {
    const index = rest.indexOf(pattern);
    return index < 0 ? undefined : { match: pattern, end: start + index + pattern.length };
  }
  // Without the flags that make an expression remember where it was.
  const found = new RegExp(pattern.source, pattern.flags.replace(/[gy]/gu, '')).exec(rest);
  return found === null ? undefined : { match: found[0], end: start + found.index + found[0].length };
}
