import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError, totalTokens } from '../../../base/index.ts';
import { assertIdle } from '../../../runtime/idle-stores.ts';
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
import { printable } from '../style.ts';
import { formatBytes } from './format-bytes.ts';
import { storeLocation, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

/** Shows the size of the store. `hermes insights` shows usage statistics. */
export async function showStats({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { sessions, subagents, messages, calls, usage, usd, unpriced } = await withStore(io, (store) =>
    store.statistics(),
  );
  const found = await findStore(await storeLocation(io));
  const location = 'file' in found ? { ...found, bytes: sizeOnDisk(found.file) } : found;
  if (json) writeJson(io.stdout, { sessions, subagents, messages, calls, usage, usd, unpriced, ...location });
  else {
    const { user, assistant, tool } = messages;
    const rows = [
      ['sessions', describeSessionCount({ sessions, subagents })],
      ['messages', `${user + assistant + tool} (user ${user}, assistant ${assistant}, tool ${tool})`],
      ['model calls', calls],
      ['tokens', totalTokens(usage)],
      ['cost', describeCost({ usd, unpriced })],
      ['database', 'file' in location ? `${location.file}, ${formatBytes(location.bytes)}` : location.database],
    ] as const;
    io.stdout.write(rows.map(([name, value]) => `${name.padEnd(11)}  ${value}\n`).join(''));
  }
  return 0;
}

/** Includes the write-ahead log. */
function sizeOnDisk(file: string): number {
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

const SEARCH_INCOMPLETE =
  'The search index is not complete, because other processes were writing: run this again when they have finished.\n';

export async function optimizeSessions({ json }: { json?: boolean }, io: CliIo, signal: AbortSignal): Promise<number> {
  const report = await optimizeDatabase(await requireFileStore(io, 'optimize'), { signal });
  const { file, bytesBefore, bytesAfter, searchComplete } = report;
  if (json) writeJson(io.stdout, report);
  else {
    io.stdout.write(`Optimised ${file}: ${formatBytes(bytesBefore)} before, ${formatBytes(bytesAfter)} after.\n`);
    if (!searchComplete) io.stdout.write(SEARCH_INCOMPLETE);
  }
  return 0;
}

type Repair = { file: string; state: string; text: string; repaired?: RepairReport };

/** Repairs a damaged store. The damaged file is never modified, except for its search index. */
export async function repairSessions({ json }: { json?: boolean }, io: CliIo, signal: AbortSignal): Promise<number> {
  const file = await requireFileStore(io, 'repair');
  // A copy would miss what a running turn stores later.
  await assertIdle([dirname(file)]);
  const { text, ...repair } = await repairFile(file, signal);
  if (json) writeJson(io.stdout, repair);
  else io.stdout.write(`${printable(text)}\n`);
  return 0;
}

async function repairFile(file: string, signal: AbortSignal): Promise<Repair> {
  const { state } = await checkIntegrity(file, { signal });
  if (state === 'missing') return { file, state, text: `The session database ${file} does not exist yet.` };
  if (state === 'sound') return { file, state, text: `${file} is intact; nothing was changed.` };
  if (state === 'search') return { file, state, text: (await rebuildSearchIndex(file, { signal })).note };
  const repaired = await repairDatabase(file, unusedName(file), { signal });
  return { file, state, repaired, text: describeRepair(repaired) };
}

function unusedName(file: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${file}.repaired` : `${file}.repaired-${number}`;
    if (!existsSync(name)) return name;
  }
}

function describeRepair({ file, target, tables, sessionsMadeUp }: RepairReport): string {
  const saved = tables.map(
    ({ table, rows, lost }) => `  ${table}: ${rows} recovered${lost === 0 ? '' : `, ${lost} lost`}`,
  );
  const madeUp = sessionsMadeUp === 0 ? [] : [`  sessions recovered from their messages only: ${sessionsMadeUp}`];
  const old = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  const next = [
    'The damaged file was not modified. Exit all other hermes processes, then replace it:',
    ...old.map((path) => `  mv '${path}' '${path}.damaged'`),
    `  mv '${target}' '${file}'`,
  ];
  return [`${file} is damaged. The recovered data is in ${target}:`, ...saved, ...madeUp, ...next].join('\n');
}

const SERVER_HINTS = {
  repair: 'Contact the administrator of the server; it has its own checks and backups.',
  optimize: 'There is nothing to do: the server maintains space and indexes itself (autovacuum).',
};

/** For commands that only work on a SQLite file. */
async function requireFileStore(io: CliIo, command: keyof typeof SERVER_HINTS): Promise<string> {
  const location = await findStore(await storeLocation(io));
  if ('file' in location) return location.file;
  const message = `Sessions are stored in the ${location.database}; \`hermes sessions ${command}\` only works on a SQLite file.`;
  throw new ConfigurationError(message, { hint: SERVER_HINTS[command] });
}
