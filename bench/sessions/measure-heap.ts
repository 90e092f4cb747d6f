import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type SessionHeap = {
  /** The numbers of sessions at which the heap was measured. */
  marks: readonly number[];
  /** Bytes after forced garbage collections. */
  heap: readonly number[];
  /** Bytes per session, from the second measurement to the last. */
  perSession: number;
};

/** V8's compiled code and feedback grow for a long time and would hide what sessions leave behind. */
const FLAGS = [
  '--expose-gc',
  '--no-flush-bytecode',
  '--no-lazy-feedback-allocation',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
];

/** Measures how much heap remains after sessions with one turn each were closed. */
export async function measureSessionHeap(sessions: number): Promise<SessionHeap> {
  const marks = [0.2, 0.4, 0.6, 0.8, 1].map((part) => Math.round(sessions * part));
  const home = mkdtempSync(join(tmpdir(), 'hermes-sessions-'));
  try {
    const file = join(import.meta.dirname, 'session-process.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, file, home, ...marks.map(String)]);
    const heap = stdout.trim().split('\n').map(Number);
    const [, second = 0, , , last = 0] = heap;
    return { marks, heap, perSession: (last - second) / (sessions - (marks[1] ?? 0)) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
