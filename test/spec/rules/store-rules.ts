import type { Rule } from './rule.ts';

/** Sessions (STORE), trajectories and batches (TRAJ). */
export const STORE_RULES = {
  'STORE-1': {
    behaviour:
      'Sessions are stored in SQLite in the home directory, in a format that the original system of the same version can share.',
    state: 'done',
  },
  'STORE-2': {
    behaviour: 'Several processes write without losing anything, and waiting for a lock never blocks the event loop.',
    state: 'done',
  },
  'STORE-3': {
    behaviour: 'The store covers the life cycle of sessions, titles, search, export, pruning and statistics.',
    state: 'done',
  },
  'STORE-4': {
    behaviour:
      'Full-text search accepts anything users type, in any script: all words first, then a ranked OR with the nearest hits; each hit has a snippet and context.',
    state: 'done',
  },
  'STORE-5': {
    behaviour: 'Sessions split by compression form a lineage in which each message counts once.',
    state: 'done',
  },
  'STORE-6': {
    behaviour: 'The same store runs on PostgreSQL, with the same interface and the same conformance suite.',
    state: 'done',
  },
  'STORE-7': {
    behaviour:
      'A session runs one turn at a time across all processes; a second process learns who holds the lease and may wait, watch or branch.',
    state: 'done',
  },
  'STORE-8': {
    behaviour: 'Only the user can read what is stored, and files of a session are deleted with the session.',
    state: 'done',
  },
  'TRAJ-1': {
    behaviour: 'Finished turns are appended as ShareGPT lines, completed ones in a file of their own.',
    state: 'done',
  },
  'TRAJ-2': {
    behaviour: 'Trajectories contain reasoning, calls and results in the tagged format that training expects.',
    state: 'done',
  },
  'TRAJ-3': {
    behaviour: 'The system turn of a trajectory is generated at save time, from a template that can be replaced.',
    state: 'done',
  },
  'TRAJ-4': {
    behaviour: 'A batch of prompts runs on many agents in parallel, always saves, and can be resumed.',
    state: 'done',
  },
  'TRAJ-5': {
    behaviour: 'A batch can run on many machines, and each prompt is processed once even if workers are killed.',
    state: 'done',
  },
  'TRAJ-6': {
    behaviour: 'Trajectories are compressed to a token budget; head and tail are kept.',
    state: 'done',
  },
} as const satisfies Record<string, Rule>;
