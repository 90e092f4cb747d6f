import { optimizeDatabase } from '../../../store/sqlite/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatBytes } from './format-bytes.ts';
import { requireFileStore } from './require-file-store.ts';
import { writeJson } from './write-json.ts';

const SEARCH_BEHIND =
  'The search was not brought up to all messages, because others were writing: run it again when they are done.\n';

export async function optimizeSessions({ json }: { json?: boolean }, io: CliIo, signal: AbortSignal): Promise<number> {
  const report = await optimizeDatabase(await requireFileStore(io, 'optimize'), { signal });
  const { file, bytesBefore, bytesAfter, searchComplete } = report;
  if (json) writeJson(io.stdout, report);
  else {
    io.stdout.write(`Optimised ${file}: ${formatBytes(bytesBefore)} before, ${formatBytes(bytesAfter)} now.\n`);
    if (!searchComplete) io.stdout.write(SEARCH_BEHIND);
  }
  return 0;
}
