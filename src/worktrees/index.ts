export type { WorktreeRecord } from './records.ts';
export type { WorktreeEnd } from './remove-unchanged.ts';
export type { MadeWorktree } from './worktrees.ts';
export { createWorktrees } from './worktrees.ts';
