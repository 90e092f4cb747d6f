import type { MemoryTarget } from '../../contracts/index.ts';
import { decodeMemory, entriesOf, type MemoryFiles, measureEntries, whyNotChanged } from '../../memory/index.ts';
import { describeFindings, scanText } from '../../scanning/index.ts';

/** Whether what a person wrote can be a memory, and what they should know about it. Their words are theirs: it is saved all the same. */
export async function checkMemoryText(
  files: MemoryFiles,
  target: MemoryTarget,
  written: Buffer,
): Promise<{ fault?: string; warnings: string[] }> {
  const file = decodeMemory(written);
  const fault = whyNotChanged(file);
  if (fault !== undefined || !('text' in file)) return { fault: fault ?? 'cannot be read', warnings: [] };
  const entries = entriesOf(file.text).map(({ text }) => text);
  const warnings: string[] = [];
  const [used, limit] = [measureEntries(entries), files.limitOf(target)];
  if (limit !== undefined && used > limit) {
    warnings.push(`It has ${used} of ${limit} characters: nothing is added to it until it is shorter.`);
  }
  for (const [index, entry] of entries.entries()) {
    const findings = await scanText(entry, 'strict');
    if (findings.length > 0) {
      warnings.push(`No model is shown entry ${index + 1}, because it ${describeFindings(findings)}.`);
    }
  }
  return { warnings };
}
