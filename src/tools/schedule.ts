import { sep } from 'node:path';
import type { Concurrency, Environment } from '../contracts/index.ts';
import type { Tool } from './define-tool.ts';
import type { ReadyCall } from './run-call.ts';

const BARRIER: Concurrency = { mode: 'barrier' };

/** How a call may run beside others, its paths with links followed. What cannot be told runs alone. */
export async function scopeOf(ready: ReadyCall, tool: Tool, environment: Environment): Promise<Concurrency> {
  try {
    const declared = tool.concurrencyOf(ready.args);
    if (declared.mode !== 'paths') return declared;
    const paths = await Promise.all(declared.paths.map((path) => environment.resolvePath(path)));
    return { ...declared, paths };
  } catch {
    return BARRIER;
  }
}

/** Whether the second of two calls has to wait for the first. */
export function conflicts(first: Concurrency, second: Concurrency): boolean {
  if (first.mode === 'barrier' || second.mode === 'barrier') return true;
  if (first.mode !== 'paths' || second.mode !== 'paths') return false;
  if (first.access === 'read' && second.access === 'read') return false;
  return first.paths.some((a) => second.paths.some((b) => overlaps(a, b)));
}

/** A folder contains what is below it. */
function overlaps(a: string, b: string): boolean {
  return a === b || contains(a, b) || contains(b, a);
}

function contains(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
