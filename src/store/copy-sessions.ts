import { createHash } from 'node:crypto';
import { HermesError } from '../base/index.ts';
import type { ImportOptions, SessionExport, SessionStore } from '../contracts/index.ts';

export type CopyProgress = { done: number; total: number; messages: number };

export type CopyReport = {
  /** Number of sessions in the source. All are in the target now, except those that differ. */
  sessions: number;
  messages: number;
  /** `copied` counts new sessions, `continued` those that had grown since they were copied. */
  copied: number;
  continued: number;
  present: number;
  /** Number of calls of deleted sessions that were copied now. */
  removedCalls: number;
  /** Sessions that exist in both stores and differ, each with the reason. */
  different: { id: string; reason: string }[];
  notes: string[];
};

export type CopyOptions = { onProgress?(progress: CopyProgress): void; signal?: AbortSignal };

/**
 * Copies all sessions of a store into another one, parents first and each as a whole, and compares the two. It can be
 * interrupted at any time and run again: existing sessions are compared and kept, or completed if they have continued
 * in the source.
 */
export async function copySessions(
  source: SessionStore,
  target: SessionStore,
  { onProgress, signal }: CopyOptions = {},
): Promise<CopyReport> {
  const report: CopyReport = {
    sessions: 0,
    messages: 0,
    copied: 0,
    continued: 0,
    present: 0,
    removedCalls: 0,
    different: [],
    notes: [],
  };
  const { sessions, subagents } = await source.statistics();
  // A lower bound: `statistics()` does not count subagent sessions that continue another one after compression.
  const total = sessions + subagents;
  for await (const record of source.exportAll()) {
    signal?.throwIfAborted();
    await copyOne(source, target, record, report);
    report.sessions += 1;
    report.messages += record.messages.length;
    onProgress?.({ done: report.sessions, total: Math.max(total, report.sessions), messages: report.messages });
  }
  for await (const record of source.exportRemovedCalls()) {
    signal?.throwIfAborted();
    report.removedCalls += await target.importRemovedCalls(record);
  }
  return report;
}

async function copyOne(
  source: SessionStore,
  target: SessionStore,
  record: SessionExport,
  report: CopyReport,
): Promise<void> {
  const { id } = record.session;
  const options = { isOwnPrompt: await isOwnPrompt(source, id) };
  const { status, notes } = await target.importSession(record, options);
  if (status === 'imported') report.notes.push(...notes, ...describeUndone(record));
  const [mine, theirs] = [await source.exportSession(id), await target.exportSession(id)];
  if (digestOf(mine) === digestOf(theirs)) {
    report[status === 'imported' ? 'copied' : 'present'] += 1;
    return;
  }
  const reason =
    status === 'imported' ? 'it changed while it was copied' : await complete(target, { mine, theirs, options });
  if (reason === undefined) report.continued += 1;
  else report.different.push({ id, reason });
}

/** Both stores belong to the same user, so a prompt that was built in one is not rebuilt in the other. */
async function isOwnPrompt(source: SessionStore, id: string): Promise<boolean> {
  return (await source.getSession(id))?.isPromptImported !== true;
}

function describeUndone({ session, takenBack = 0 }: SessionExport): string[] {
  if (takenBack === 0) return [];
  return [`Session ${session.id}: its undone messages (${takenBack}) were not copied and cannot be restored there.`];
}

/** Returns undefined if the target now equals the source, otherwise why it was not changed. */
type CopyPair = { mine: SessionExport; theirs: SessionExport; options: ImportOptions };

async function complete(target: SessionStore, { mine, theirs, options }: CopyPair): Promise<string | undefined> {
  const { id } = mine.session;
  const shorter = { ...mine, messages: mine.messages.slice(0, theirs.messages.length) };
  if (messagesOf(shorter) !== messagesOf(theirs))
    return 'it differs in the target; it may have continued in both stores';
  try {
    await target.deleteSession(id);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return `it continued in the source since it was copied, and cannot be replaced in the target (${thrown.message})`;
  }
  await target.importSession(mine, options);
  return digestOf(await target.exportSession(id)) === digestOf(mine) ? undefined : 'it changed while it was copied';
}

function messagesOf({ messages }: SessionExport): string {
  return JSON.stringify(messages);
}

/**
 * A hash of the whole session, without its title, which is renamed if it is already used, and its parent, which may
 * be missing. Both are reported on import.
 */
function digestOf({ session, messages, turns, calls, blobs }: SessionExport): string {
  const { title: _, parentSessionId: __, ...rest } = session;
  const names = blobs.map(({ hash, mediaType }) => [hash, mediaType]);
  return createHash('sha256')
    .update(JSON.stringify([rest, messages, turns, calls, names]))
    .digest('hex');
}
