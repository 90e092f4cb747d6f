import { existsSync } from 'node:fs';
import { checkIntegrity, rebuildSearchIndex, repairDatabase, type RepairReport } from '../../../store/sqlite/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
import { requireFileStore } from './require-file-store.ts';
import { writeJson } from './write-json.ts';

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
