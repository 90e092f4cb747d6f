import { errorMessage } from '../../base/index.ts';
import { homePaths, type Settings } from '../../config/index.ts';
import { MEMORY_FILE_NAMES, MEMORY_TARGETS, type MemoryTarget, type SessionReader } from '../../contracts/index.ts';
import {
  createMemoryFiles,
  createMemoryProvider,
  decodeMemory,
  entriesOf,
  type MemoryFiles,
  measureEntries,
  findChangeBlocker,
} from '../../memory/index.ts';
import { describeFindings, scanText } from '../../scanning/index.ts';

/** One memory file as displayed to the user. */
export type MemoryReport = {
  target: MemoryTarget;
  name: string;
  file: string;
  enabled: boolean;
  entries: readonly string[];
  used: number;
  limit: number | undefined;
  /** Why the memory file cannot be read or changed. */
  fault: string | undefined;
  /** Entries that are withheld from models, numbered from 1, and why. */
  blocked: readonly { entry: number; reason: string }[];
};

export type ProviderReport = { name: string | undefined; state: 'none' | 'ready' | 'not used'; reason?: string };

/** Opens both memory files, even those of a disabled memory. */
export function openMemoryFiles(settings: Settings): MemoryFiles {
  const limits = settings.memory?.limits ?? {};
  return createMemoryFiles({ folder: homePaths(settings.home).memoriesFolder, limits });
}

export function reportMemories(
  settings: Settings,
  targets: readonly MemoryTarget[] = MEMORY_TARGETS,
): Promise<MemoryReport[]> {
  const files = openMemoryFiles(settings);
  return Promise.all(targets.map((target) => reportMemory(files, target)));
}

async function reportMemory(files: MemoryFiles, target: MemoryTarget): Promise<MemoryReport> {
  const read = await files.read(target);
  const entries = 'text' in read ? entriesOf(read.text).map(({ text }) => text) : [];
  const blocked = await Promise.all(
    entries.map(async (text, index) => ({ entry: index + 1, findings: await scanText(text, 'strict') })),
  );
  const limit = files.limitOf(target);
  return {
    target,
    name: MEMORY_FILE_NAMES[target],
    file: files.fileOf(target),
    entries,
    limit,
    enabled: limit !== undefined,
    used: measureEntries(entries),
    fault: findChangeBlocker(read),
    blocked: blocked
      .filter(({ findings }) => findings.length > 0)
      .map(({ entry, findings }) => ({ entry, reason: describeFindings(findings) })),
  };
}

/** Whether the configured provider can be used. Makes no network request. */
export async function reportProvider(settings: Settings): Promise<ProviderReport> {
  const { memory, variables } = settings;
  if (memory?.provider === undefined) return { name: undefined, state: 'none' };
  const { provider: name } = memory;
  try {
    // `isAvailable` does not use the sessions, so an empty object is enough.
    const parts = { settings: memory, variables, sessions: {} as SessionReader };
    const answer = await (await createMemoryProvider(name, parts)).isAvailable();
    return answer === true ? { name, state: 'ready' } : { name, state: 'not used', reason: answer.reason };
  } catch (thrown) {
    return { name, state: 'not used', reason: errorMessage(thrown) };
  }
}

/** Checks text that the user wrote to a memory file. Warnings do not prevent saving. */
export async function checkMemoryText(
  files: MemoryFiles,
  target: MemoryTarget,
  written: Buffer,
): Promise<{ fault?: string; warnings: string[] }> {
  const file = decodeMemory(written);
  const fault = findChangeBlocker(file);
  if (fault !== undefined || !('text' in file)) return { fault: fault ?? 'cannot be read', warnings: [] };
  const entries = entriesOf(file.text).map(({ text }) => text);
  const warnings: string[] = [];
  const [used, limit] = [measureEntries(entries), files.limitOf(target)];
  if (limit !== undefined && used > limit) {
    warnings.push(`It has ${used} of ${limit} characters. Nothing can be added until it is shorter.`);
  }
  for (const [index, entry] of entries.entries()) {
    const findings = await scanText(entry, 'strict');
    if (findings.length > 0) {
      warnings.push(`Entry ${index + 1} is not shown to models, because it ${describeFindings(findings)}.`);
    }
  }
  return { warnings };
}
