import { existsSync, statSync } from 'node:fs';
import { ConfigurationError, totalTokens } from '../../../base/index.ts';
import { findStore } from '../../../runtime/open-store.ts';
import {
  checkIntegrity,
  optimizeDatabase,
  rebuildSearchIndex,
  repairDatabase,
  type RepairReport,
} from '../../../store/sqlite/index.ts';
import { describeSessionCount } from '../../text/counted.ts';
import { describeCost } from '../../text/format-cost.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
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

/** Including the write-ahead log next to the file. */
function sizeOnDisk(file: string): number {
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

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

type Repair = { file: string; state: string; text: string; repaired?: RepairReport };

/** Mends what is damaged, and only that. The damaged file itself is never changed, except for its search index. */
export async function repairSessions({ json }: { json?: boolean }, io: CliIo, signal: AbortSignal): Promise<number> {
  const { text, ...repair } = await repairFile(await requireFileStore(io, 'repair'), signal);
  if (json) writeJson(io.stdout, repair);
  else io.stdout.write(`${showable(text)}\n`);
  return 0;
}

async function repairFile(file: string, signal: AbortSignal): Promise<Repair> {
  const { state } = await checkIntegrity(file, { signal });
  if (state === 'missing') return { file, state, text: `There is no session database ${file} yet.` };
  if (state === 'sound') return { file, state, text: `${file} is sound; nothing was done.` };
  if (state === 'search') return { file, state, text: (await rebuildSearchIndex(file, { signal })).note };
  const repaired = await repairDatabase(file, freeName(file), { signal });
  return { file, state, repaired, text: describeRepair(repaired) };
}

function freeName(file: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${file}.repaired` : `${file}.repaired-${number}`;
    if (!existsSync(name)) return name;
  }
}

function describeRepair({ file, target, tables, sessionsMadeUp }: RepairReport): string {
  const saved = tables.map(({ table, rows, lost }) => `  ${table}: ${rows} saved${lost === 0 ? '' : `, ${lost} lost`}`);
  const madeUp = sessionsMadeUp === 0 ? [] : [`  sessions of which only messages were left: ${sessionsMadeUp}`];
  const old = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  const next = [
    'End all other hermes processes, then put it in place of the damaged one, which was left as it is:',
    ...old.map((path) => `  mv '${path}' '${path}.damaged'`),
    `  mv '${target}' '${file}'`,
  ];
  return [`${file} is damaged. What could be read is in ${target}:`, ...saved, ...madeUp, ...next].join('\n');
}

const INSTEAD = {
  repair: 'Ask whoever runs the server; it has checks and backups of its own.',
  optimize: 'There is nothing to do: the server looks after space and indexes by itself (autovacuum).',
};

/** For what can only be done to a file. */
async function requireFileStore(io: CliIo, command: keyof typeof INSTEAD): Promise<string> {
  const place = await findStore(await placeOf(io));
  if ('file' in place) return place.file;
  const message = `Sessions are in the ${place.database}; \`hermes sessions ${command}\` is about a file.`;
  throw new ConfigurationError(message, { hint: INSTEAD[command] });
}
