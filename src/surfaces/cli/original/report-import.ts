import type { ImportTally } from '../../../store/index.ts';
import type { OriginalImportProgress } from '../../../store/sqlite/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { createProgressLine } from '../output/progress-line.ts';
import { printable } from '../style.ts';

/** Draws a progress line while sessions of the original are imported. */
export async function withImportProgress<T>(
  io: Pick<CliIo, 'stderr' | 'env'>,
  importAll: (onProgress: (progress: OriginalImportProgress) => void) => Promise<T>,
  options: { isWanted?: boolean } = {},
): Promise<T> {
  const line = createProgressLine(io, options);
  try {
    return await importAll(({ done, total, messages }) =>
      line.draw(() => ({
        text: `${done} of ${counted(total, 'session')}, ${counted(messages, 'message')}`,
        share: total === 0 ? 1 : done / total,
      })),
    );
  } finally {
    line.clear();
  }
}

export function formatImport({ imported, skipped, refused, messages, notes }: ImportTally): string {
  const there = skipped === 0 ? '' : `; ${counted(skipped, 'session')} already ${skipped === 1 ? 'exists' : 'exist'}`;
  const left = refused === 0 ? '' : `; ${counted(refused, 'line')} could not be read`;
  const taken = `Imported ${counted(imported, 'session')} with ${counted(messages, 'message')}${there}${left}.`;
  return `${[taken, ...notes].map(printable).join('\n')}\n`;
}
