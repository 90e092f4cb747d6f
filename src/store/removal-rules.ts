import { HermesError } from '../base/index.ts';
import type { HeldLease } from '../contracts/index.ts';

export type RemovalOptions = {
  /** Folders in which each session has one of its own, under its `sessionFolderName`. */
  sessionFolders?: readonly string[];
};

const SHOWN = 5;

export type PruneRow = { id: string; parent: string | null; subagent: number; old: number };

/** The old sessions that no session that stays descends from, each with its subagents. */
export function findOld(rows: readonly PruneRow[]): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const kept = new Set<string>();
  for (const row of rows) {
    let at: PruneRow | undefined = row.old === 1 || row.subagent === 1 ? undefined : row;
    while (at !== undefined && !kept.has(at.id)) {
      kept.add(at.id);
      at = at.parent === null ? undefined : byId.get(at.parent);
    }
  }
  // Parents come last, and what becomes of a subagent depends on them.
  for (const row of rows.toReversed()) {
    const parent = row.parent === null ? undefined : byId.get(row.parent);
    if (row.subagent === 1 && row.old === 0 && (parent === undefined || kept.has(parent.id))) kept.add(row.id);
  }
  return rows.filter((row) => !kept.has(row.id)).map((row) => row.id);
}

export function isInUse(id: string, { pid, host }: HeldLease): HermesError {
  return new HermesError(`A turn is running in session ${id} (process ${pid} on ${host}); it was left as it is.`, {
    hint: 'Wait for the turn to end, or stop that process, and try again.',
  });
}

export function hasDescendants(id: string, descendants: readonly string[]): HermesError {
  const more = descendants.length > SHOWN ? ', …' : '';
  const names = `${descendants.slice(0, SHOWN).join(', ')}${more}`;
  return new HermesError(`Session ${id} goes on in others (${names}); it was left as it is.`, {
    hint: 'Delete those first, or all of them together: on the command line with --with-descendants.',
  });
}
