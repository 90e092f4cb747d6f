import { hash } from 'node:crypto';
import type { FileStat, SeenFile, ToolContext } from '../contracts/index.ts';
import type { FoundFile } from './text-file.ts';

/** Identifies a version of a file without reading it. */
export function versionOf({ modifiedMs, size }: FileStat): string {
  return `${modifiedMs}:${size}`;
}

/** Whether the same result was returned before and is still in the context. If not, records the result as shown. */
export function wasShown({ agent, callId }: ToolContext, file: FoundFile, range: string, text: string): boolean {
  if (!agent) return false;
  const digest = hash('sha1', text);
  const seen = seenFile(agent, file.resolved);
  seen.version = versionOf(file);
  if (seen.shown.get(range)?.digest === digest) return true;
  seen.shown.set(range, { digest, callIds: [callId] });
  return false;
}

/** Whether a file has changed since this session last read or wrote it. */
export function changedSinceSeen({ agent }: ToolContext, resolved: string, now: FileStat): boolean {
  const seen = agent?.seenFiles?.get(resolved);
  return seen?.version !== undefined && seen.version !== versionOf(now);
}

/** Records our own write: the model knows the file, but the line ranges that were shown before are outdated. */
export async function noteWritten({ agent, environment }: ToolContext, path: string): Promise<void> {
  if (!agent) return;
  const resolved = await environment.resolvePath(path);
  const now = await environment.stat(path).catch(() => undefined);
  const seen = seenFile(agent, resolved);
  seen.version = now && versionOf(now);
  seen.shown.clear();
}

function seenFile(agent: NonNullable<ToolContext['agent']>, resolved: string): SeenFile {
  agent.seenFiles ??= new Map();
  let seen = agent.seenFiles.get(resolved);
  if (!seen) agent.seenFiles.set(resolved, (seen = { version: undefined, shown: new Map() }));
  return seen;
}
