export type { MadeWorktree } from './make-worktree.ts';
export type { WorktreeRecord } from './records.ts';
export type { WorktreeEnd } from './remove-unchanged.ts';
export { createWorktrees } from './worktrees.ts';
