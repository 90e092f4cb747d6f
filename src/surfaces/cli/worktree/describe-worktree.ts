import { quoteWord } from '../../../util/index.ts';
import type { MadeWorktree, WorktreeEnd, WorktreeRecord } from '../../../worktrees/index.ts';
import { counted } from '../../text/counted.ts';

export function describeMade({ record, copied, uncommitted }: MadeWorktree): string {
  const lines = [`Working in the worktree ${record.directory}, branch ${record.branch}.`];
  if (copied > 0) lines.push(`${counted(copied, 'ignored file')} came along, as .worktreeinclude says.`);
  if (uncommitted > 0) {
    lines.push(
      `It begins at the last commit: ${counted(uncommitted, 'change')} in ${record.repository} not committed yet.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

export function describeGone({ path, branch, repository }: WorktreeRecord, directory: string): string {
  return `The worktree of this session, ${path}, is gone; going on in ${directory}. What was committed is on branch ${branch} of ${repository}.\n`;
}

/** How to get back to what was done, where something was. */
export function describeEnd(record: WorktreeRecord, end: WorktreeEnd, sessionId: string | undefined): string {
  const { path, branch, repository } = record;
  if (end.kind === 'removed') return `Nothing was changed in the worktree; it is removed with its branch ${branch}.\n`;
  if (end.kind === 'in use') return `Another program works in the worktree ${path}; it stays.\n`;
  const { commits, uncommitted } = end;
  return `${[
    `The worktree is kept: ${path}`,
    `  branch   ${branch}, ${counted(commits, 'commit')}, ${counted(uncommitted, 'file')} not committed`,
    ...(sessionId === undefined ? [] : [`  go on    hermes --resume ${sessionId}`]),
    `  merge    git -C ${quoted(repository)} merge ${branch}${uncommitted === 0 ? '' : '   (commit there first)'}`,
    `  remove   git -C ${quoted(repository)} worktree remove --force ${quoted(path)} && git -C ${quoted(repository)} branch -D ${branch}`,
  ].join('\n')}\n`;
}

/** For a shell, where that is needed. */
function quoted(path: string): string {
  return /^[\w./@%+:-]+$/.test(path) ? path : quoteWord(path);
}
