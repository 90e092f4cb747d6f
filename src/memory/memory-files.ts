import { join } from 'node:path';
import {
  MEMORY_FILE_NAMES,
  MEMORY_TARGETS,
  type MemoryOperation,
  type MemoryOutcome,
  type MemoryTarget,
  type MemoryUsage,
  type MemoryWriter,
} from '../contracts/index.ts';
import { describeFindings, scanText } from '../scanning/index.ts';
import { ensurePrivateFolder, LockTimeout, shorten, withFileLock, writeFileAtomic } from '../util/index.ts';
import { changeMemory } from './change-memory.ts';
import { cleanEntry, entriesOf, formatMemory, type MemoryText, measureEntries } from './memory-text.ts';
import { type MemoryFile, readMemoryFile, findChangeBlocker } from './read-memory-file.ts';

export type MemoryFilesOptions = {
  folder: string;
  /** Maximum characters of each memory; a memory without a limit is disabled. */
  limits: Readonly<Partial<Record<MemoryTarget, number>>>;
  requiresApproval?: boolean;
};

/** Both memory files of a home directory. */
export interface MemoryFiles extends MemoryWriter {
  nameOf(target: MemoryTarget): string;
  fileOf(target: MemoryTarget): string;
  limitOf(target: MemoryTarget): number | undefined;
  read(target: MemoryTarget): Promise<MemoryFile>;
  /** Replaces the file with what the user edited. Returns false if it has changed since `seen`. */
  replace(target: MemoryTarget, seen: Buffer | undefined, written: Buffer): Promise<boolean>;
}

/** Must differ from the names of lock files that other programs leave behind. */
const LOCK_NAME = '.memory.lock';
const MAX_READS = 5;
const SHOWN_ENTRIES = 50;
const SHOWN_CHARACTERS = 200;

export function createMemoryFiles({ folder, limits, requiresApproval = false }: MemoryFilesOptions): MemoryFiles {
  const fileOf = (target: MemoryTarget) => join(folder, MEMORY_FILE_NAMES[target]);
  async function locked<Value>(task: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    await ensurePrivateFolder(folder);
    return withFileLock(join(folder, LOCK_NAME), task, { signal });
  }
  return {
    targets: MEMORY_TARGETS.filter((target) => limits[target] !== undefined),
    requiresApproval,
    nameOf: (target) => MEMORY_FILE_NAMES[target],
    fileOf,
    limitOf: (target) => limits[target],
    read: (target) => readMemoryFile(fileOf(target)),
    check: async (target, operations) =>
      (await findRefusal(target, limits, operations)) ??
      (await planFile(fileOf(target), limits[target] ?? 0, operations)).outcome,
    async change(target, operations, signal) {
      const refusal = await findRefusal(target, limits, operations);
      if (refusal !== undefined) return refusal;
      try {
        return await locked(() => changeFile(fileOf(target), limits[target] ?? 0, operations), signal);
      } catch (thrown) {
        signal?.throwIfAborted();
        return refuse('unusable', describeFailure(thrown, fileOf(target)));
      }
    },
    replace: (target, seen, written) =>
      locked(async () => {
        const { bytes } = await readMemoryFile(fileOf(target));
        if (!sameBytes(bytes, seen)) return false;
        await writeFileAtomic(fileOf(target), written);
        return true;
      }),
  };
}

/** Reads the file again before writing, because an editor does not respect locks. */
async function changeFile(file: string, limit: number, operations: readonly MemoryOperation[]): Promise<MemoryOutcome> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const { outcome, text, bytes } = await planFile(file, limit, operations);
    if (outcome.status !== 'changed' || text === undefined) return outcome;
    if (!sameBytes((await readMemoryFile(file)).bytes, bytes)) continue;
    await writeFileAtomic(file, formatMemory(text));
    return outcome;
  }
  return refuse('unusable', `${file} is being changed by another program. Nothing was written; try again later.`);
}

type Planned = { outcome: MemoryOutcome; text?: MemoryText; bytes?: Buffer | undefined };

async function planFile(file: string, limit: number, operations: readonly MemoryOperation[]): Promise<Planned> {
  const read = await readMemoryFile(file);
  const reason = findChangeBlocker(read);
  if (reason === undefined && 'text' in read) return { ...planChange(read.text, limit, operations), bytes: read.bytes };
  return { outcome: refuse('unusable', `${file} ${reason}. ${FIX_FIRST_HINT}`) };
}

const FIX_FIRST_HINT = 'The file was not changed: the user must fix it first (hermes memory edit).';

function planChange(before: MemoryText, limit: number, operations: readonly MemoryOperation[]): Planned {
  const present = textsOf(before);
  const usage = { used: measureEntries(present), limit };
  const changed = changeMemory(before, operations);
  if ('refused' in changed) return { outcome: refuse(changed.refused, changed.reason, usage) };
  const entries = textsOf(changed.text);
  const used = measureEntries(entries);
  // The user may have exceeded the limit by hand; changes that reduce the size are allowed.
  if (used > limit && used >= usage.used && operations.some(({ action }) => action !== 'remove')) {
    return { outcome: findLongEntry(operations, usage) ?? overLimit(present, usage, used) };
  }
  const status = changed.text === before ? 'unchanged' : 'changed';
  return { outcome: { status, usage: { used, limit }, entries: entries.length }, text: changed.text };
}

const grouped = (count: number) => count.toLocaleString('en-US');

/** The refusal of an entry that would exceed the limit even if it were the only one. */
function findLongEntry(operations: readonly MemoryOperation[], usage: MemoryUsage): MemoryOutcome | undefined {
  const sizes = operations.map((operation) =>
    operation.action === 'remove' ? 0 : measureEntries([cleanEntry(operation.content)]),
  );
  const size = Math.max(...sizes);
  if (size <= usage.limit) return undefined;
  const reason = `The entry has ${grouped(size)} characters, but the limit for all entries of this target together is ${grouped(usage.limit)}. Nothing was written.`;
  return refuse('entry_too_long', reason, usage);
}

function overLimit(present: readonly string[], usage: MemoryUsage, used: number): MemoryOutcome {
  const reason = `This would exceed the limit: ${grouped(used)} of ${grouped(usage.limit)} characters. Nothing was written.`;
  const all = measureEntries(present) <= 2 * usage.limit;
  // If the file is far too large, send only the start of some entries to the model.
  const entries = all ? present : present.slice(0, SHOWN_ENTRIES).map((entry) => shorten(entry, SHOWN_CHARACTERS));
  return { ...refuse('over_limit', reason, usage), entries };
}

function textsOf(text: MemoryText): string[] {
  return entriesOf(text).map((entry) => entry.text);
}

/** Every later session reads the memory, so text that looks like a prompt injection is refused. */
async function findRefusal(
  target: MemoryTarget,
  limits: MemoryFilesOptions['limits'],
  operations: readonly MemoryOperation[],
): Promise<MemoryOutcome | undefined> {
  if (limits[target] === undefined) return refuse('unusable', `The memory "${target}" is disabled.`);
  for (const operation of operations) {
    if (operation.action === 'remove') continue;
    const findings = await scanText(operation.content, 'strict');
    if (findings.length > 0) return refuse('unsafe', `The text ${describeFindings(findings)}. Nothing was written.`);
  }
  return undefined;
}

type Refusal = Extract<MemoryOutcome, { status: 'refused' }>;

function refuse(kind: Refusal['kind'], reason: string, usage?: MemoryUsage): Refusal {
  return { status: 'refused', kind, reason, ...(usage && { usage }) };
}

function describeFailure(thrown: unknown, file: string): string {
  if (thrown instanceof LockTimeout)
    return `${file} is in use by another process. Nothing was written; try again later.`;
  const { code, message } = thrown as NodeJS.ErrnoException;
  return `${file} cannot be written (${code ?? message}). Nothing was changed.`;
}

function sameBytes(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}
