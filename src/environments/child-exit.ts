import type { ChildProcess } from 'node:child_process';

type Child = Pick<ChildProcess, 'once' | 'stdout' | 'stderr'>;

/** How long there must be no output after the exit before the output counts as complete. */
const SILENCE_MS = 200;

/**
 * The exit code of a child when it has exited and its output was read; null after a signal. A background process of the
 * child may keep the output open: it is not waited for once it is silent.
 */
export function exitCodeOf(child: Child): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    child.once('error', reject);
    child.once('close', (code) => {
      over.abort();
      resolve(code);
    });
    child.once('exit', (code) =>
      whenSilent(child, over.signal, () => {
        for (const stream of [child.stdout, child.stderr]) stream?.destroy();
        resolve(code);
      }),
    );
  });
}

/** Calls a function when a child that has exited prints nothing more, although its output may still be open. */
export function whenSilent({ stdout, stderr }: Omit<Child, 'once'>, over: AbortSignal, act: () => void): void {
  let heard = 0;
  const timer = setTimeout(() => {
    const before = heard;
    // Reads pending output first, because Hermes itself may have been busy.
    setImmediate(() => (heard === before && !over.aborted ? act() : undefined));
  }, SILENCE_MS);
  for (const stream of [stdout, stderr]) {
    stream?.on('data', () => {
      heard += 1;
      if (!over.aborted) timer.refresh();
    });
  }
  over.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
