export type { WorktreeRecord } from './records.ts';
export type { WorktreeOutcome } from './remove-unchanged.ts';
export type { CreatedWorktree } from './worktrees.ts';
export { createWorktrees } from './worktrees.ts';
