import { resolveHome } from '../../../config/index.ts';
import { chooseDatabaseFile, optimizeDatabase } from '../../../store/sqlite/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatBytes } from './format-bytes.ts';
import { writeJson } from './write-json.ts';

export async function optimizeSessions({ json }: { json?: boolean }, io: CliIo, signal: AbortSignal): Promise<number> {
  const report = await optimizeDatabase(await chooseDatabaseFile(resolveHome(io.env)), { signal });
  const { file, bytesBefore, bytesAfter } = report;
  if (json) writeJson(io.stdout, report);
  else io.stdout.write(`Optimised ${file}: ${formatBytes(bytesBefore)} before, ${formatBytes(bytesAfter)} now.\n`);
  return 0;
}
