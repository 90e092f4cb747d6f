import { createHash } from 'node:crypto';
import { HermesError } from '../base/index.ts';
import type { SessionExport, SessionStore } from '../contracts/index.ts';

export type CopyProgress = { done: number; total: number; messages: number };

export type CopyReport = {
  /** In the source, all of which are in the target now, except those that differ. */
  sessions: number;
  messages: number;
  /** Not there before, and those that had gone on since they were copied. */
  copied: number;
  continued: number;
  present: number;
  /** Calls of sessions that were deleted, which were not there yet. */
  removedCalls: number;
  /** Those that are in both and are not the same, each with the reason. */
  different: { id: string; reason: string }[];
  notes: string[];
};

export type CopyOptions = { onProgress?(progress: CopyProgress): void; signal?: AbortSignal };

/**
 * Copies all sessions of a store into another, parents first and each as a whole, and then compares the two. It can be
 * ended at any moment and begun again: what is there already is compared and left as it is, or completed where the source
 * has gone on since.
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
  // Those of subagents that continue others are in neither figure, so that it is the least there is to do.
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
  const { status, notes } = await target.importSession(record);
  if (status === 'imported') report.notes.push(...notes, ...noteTakenBack(record));
  const [mine, theirs] = [await source.exportSession(id), await target.exportSession(id)];
  if (digestOf(mine) === digestOf(theirs)) {
    report[status === 'imported' ? 'copied' : 'present'] += 1;
    return;
  }
  const reason = status === 'imported' ? 'it changed while it was copied' : await complete(target, mine, theirs);
  if (reason === undefined) report.continued += 1;
  else report.different.push({ id, reason });
}

function noteTakenBack({ session, takenBack = 0 }: SessionExport): string[] {
  if (takenBack === 0) return [];
  return [
    `Session ${session.id}: what was taken back of it (${takenBack} messages) stays behind and cannot be restored.`,
  ];
}

/** Undefined where the target now is like the source, else why it was left as it is. */
async function complete(target: SessionStore, mine: SessionExport, theirs: SessionExport): Promise<string | undefined> {
  const { id } = mine.session;
  const shorter = { ...mine, messages: mine.messages.slice(0, theirs.messages.length) };
  if (messagesOf(shorter) !== messagesOf(theirs)) return 'it is not the same there: it may have gone on in both places';
  try {
    await target.deleteSession(id);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return `it went on here since it was copied, and cannot be replaced there (${thrown.message})`;
  }
  await target.importSession(mine);
  return digestOf(await target.exportSession(id)) === digestOf(mine) ? undefined : 'it changed while it was copied';
}

function messagesOf({ messages }: SessionExport): string {
  return JSON.stringify(messages);
}

/**
 * Everything of a session as one figure. Its title is left out, which is another one where that was taken, and so is the
 * parent, which may be missing; both are told when it is taken in.
 */
function digestOf({ session, messages, turns, calls, blobs }: SessionExport): string {
  const { title: _, parentSessionId: __, ...rest } = session;
  const names = blobs.map(({ hash, mediaType }) => [hash, mediaType]);
  return createHash('sha256')
    .update(JSON.stringify([rest, messages, turns, calls, names]))
    .digest('hex');
}
