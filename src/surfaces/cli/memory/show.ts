import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import type { MemoryTarget } from '../../../contracts/index.ts';
import {
  type MemoryReport,
  type ProviderReport,
  reportMemories,
  reportProvider,
} from '../../../runtime/memory/index.ts';
import { describeSize, memoryText } from '../../text/memory-text.ts';
import { formatPairs } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';

export async function showMemory(
  target: MemoryTarget | undefined,
  { json }: { json?: boolean },
  io: CliIo,
): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  if (json) writeJson(io.stdout, { memories: await reportMemories(settings, target && [target]) });
  else io.stdout.write(await memoryText(settings, target && [target]));
  return 0;
}

/** Shows sizes, limits and the memory provider. Uses no network. */
export async function showMemoryStatus({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const [memories, provider] = await Promise.all([reportMemories(settings), reportProvider(settings)]);
  if (json) {
    const counted = memories.map(({ entries, ...memory }) => ({ ...memory, entries: entries.length }));
    writeJson(io.stdout, { memories: counted, provider, writeApproval: settings.memory?.writeApproval ?? false });
    return 0;
  }
  io.stdout.write(format(memories, provider, settings));
  const style = createStyle(io.stdout, io.env);
  for (const fault of faultsOf(memories)) io.stdout.write(`${style.yellow('!')} ${printable(fault)}\n`);
  return 0;
}

function format(memories: readonly MemoryReport[], provider: ProviderReport, { memory }: Settings): string {
  const rows = memories.flatMap((report): [string, string][] => [
    [report.name, describeSize(report)],
    ['', report.file],
  ]);
  return formatPairs([
    ...rows,
    ['saved', memory?.writeApproval ? 'with your approval (memory.write_approval)' : 'without approval'],
    ['provider', describeProvider(provider)],
  ]);
}

function describeProvider({ name, state, reason }: ProviderReport): string {
  if (name === undefined) return 'none (memory.provider)';
  return reason === undefined ? `${name}, ${state}` : `${name}, ${state}: ${reason}`;
}

/** Problems that the user should fix. */
function faultsOf(memories: readonly MemoryReport[]): string[] {
  return memories.flatMap(({ name, target, fault, blocked, used, limit }) => [
    ...(fault === undefined ? [] : [`${name} ${fault}. Fix it with: hermes memory edit ${target}`]),
    ...(limit !== undefined && used > limit
      ? [`${name} is over its limit; nothing is added until it is shorter.`]
      : []),
    ...blocked.map(({ entry, reason }) => `${name}, entry ${entry}: not sent to the model, because it ${reason}.`),
  ]);
}
