import { hash } from 'node:crypto';
import type { FileStat, SeenFile, ToolContext } from '../contracts/index.ts';
import type { FoundFile } from './text-file.ts';

/** What tells one content of a file from the next without reading it. */
export function versionOf({ modifiedMs, size }: FileStat): string {
  return `${modifiedMs}:${size}`;
}

/** Whether exactly this was the answer before and still stands in the context; else it counts as shown from now on. */
export function wasShown({ agent }: ToolContext, file: FoundFile, range: string, text: string): boolean {
  if (!agent) return false;
  const digest = hash('sha1', text);
  const seen = seenFile(agent, file.resolved);
  seen.version = versionOf(file);
  if (seen.shown.get(range) === digest) return true;
  seen.shown.set(range, digest);
  return false;
}

/** Whether a file is another than the one that was read or written last in this session. */
export function changedSinceSeen({ agent }: ToolContext, resolved: string, now: FileStat): boolean {
  const seen = agent?.seenFiles?.get(resolved);
  return seen?.version !== undefined && seen.version !== versionOf(now);
}

/** After a write of our own the file is as the model knows it, but what it was shown is out of date. */
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
