import type { Settings } from '../../config/index.ts';
import type { MemoryTarget } from '../../contracts/index.ts';
import { type MemoryReport, reportMemories } from '../../runtime/memory/index.ts';
import { counted } from './counted.ts';
import { printable } from './style.ts';

/** Formats the memory entries for display. */
export async function memoryText(settings: Settings, targets?: readonly MemoryTarget[]): Promise<string> {
  const reports = await reportMemories(settings, targets);
  return reports.map(formatMemory).join('\n');
}

function formatMemory(report: MemoryReport): string {
  const { entries, blocked } = report;
  const lines = entries.map((entry, index) => {
    const note = blocked.some((one) => one.entry === index + 1) ? '[blocked: not shown to the model] ' : '';
    return `  ${index + 1}. ${note}${printable(entry).replaceAll('\n', '\n     ')}\n`;
  });
  return `${report.name}: ${describeSize(report)}\n${lines.join('')}`;
}

export function describeSize({ entries, used, limit, enabled, fault }: MemoryReport): string {
  const off = enabled ? '' : ', disabled';
  if (fault !== undefined && entries.length === 0) return `${fault}${off}`;
  if (entries.length === 0) return `empty${off}`;
  const count = counted(entries.length, 'entry', 'entries');
  const size =
    limit === undefined
      ? `${used} characters`
      : `${used} of ${limit} characters (${Math.round((used / limit) * 100)} %)`;
  return `${count}, ${size}${off}${fault === undefined ? '' : `; ${fault}`}`;
}
