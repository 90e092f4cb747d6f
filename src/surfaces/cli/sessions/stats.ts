import { statSync } from 'node:fs';
import { totalTokens } from '../../../base/index.ts';
import { findStore } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { describeSessionCount } from '../../text/counted.ts';
import { describeCost } from '../../text/format-cost.ts';
import { formatBytes } from './format-bytes.ts';
import { placeOf, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

/** How much there is. What was done with it is what `hermes insights` tells. */
export async function showStats({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { sessions, subagents, messages, calls, usage, usd, unpriced } = await withStore(io, (store) =>
    store.statistics(),
  );
  const found = await findStore(await placeOf(io));
  const place = 'file' in found ? { ...found, bytes: sizeOnDisk(found.file) } : found;
  if (json) writeJson(io.stdout, { sessions, subagents, messages, calls, usage, usd, unpriced, ...place });
  else {
    const { user, assistant, tool } = messages;
    const rows = [
      ['sessions', describeSessionCount({ sessions, subagents })],
      ['messages', `${user + assistant + tool} (user ${user}, assistant ${assistant}, tool ${tool})`],
      ['model calls', calls],
      ['tokens', totalTokens(usage)],
      ['cost', describeCost({ usd, unpriced })],
      ['database', 'file' in place ? `${place.file}, ${formatBytes(place.bytes)}` : place.database],
    ] as const;
    io.stdout.write(rows.map(([name, value]) => `${name.padEnd(11)}  ${value}\n`).join(''));
  }
  return 0;
}

/** With the log of what was written last, which grows beside the file. */
function sizeOnDisk(file: string): number {
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
