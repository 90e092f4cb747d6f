import type { CopyProgress } from '../../../store/index.ts';
import type { OutputStream } from '../cli-io.ts';

export type ProgressBar = { show(progress: CopyProgress): void; clear(): void };

const WIDTH = 24;
const REDRAW_MS = 100;

/** One line that is drawn over itself; nothing where nobody watches. */
export function createProgressBar(output: OutputStream | undefined): ProgressBar {
  if (!output?.isTTY) return { show: () => undefined, clear: () => undefined };
  const startedAt = performance.now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(progress) {
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS && progress.done < progress.total) return;
      drawnAt = now;
      output.write(`\r\u001b[K${formatProgress(progress, now - startedAt)}`);
    },
    clear: () => void output.write('\r\u001b[K'),
  };
}

export function formatProgress({ done, total, messages }: CopyProgress, elapsedMs: number): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.round(share * WIDTH);
  const left = done === 0 ? '' : `, ${Math.ceil(((elapsedMs / done) * (total - done)) / 1000)} s left`;
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done} of ${total} sessions, ${messages} messages${left}`;
}
