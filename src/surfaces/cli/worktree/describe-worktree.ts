import { quoteShellWord } from '../../../util/index.ts';
import type { CreatedWorktree, WorktreeOutcome, WorktreeRecord } from '../../../worktrees/index.ts';
import { counted } from '../../text/counted.ts';

export function describeCreated({ record, copied, uncommitted }: CreatedWorktree): string {
  const lines = [`Working in the worktree ${record.directory}, branch ${record.branch}.`];
  if (copied > 0) lines.push(`Copied ${counted(copied, 'ignored file')} listed in .worktreeinclude.`);
  if (uncommitted > 0) {
    lines.push(
      `It starts at the last commit, without ${counted(uncommitted, 'uncommitted change')} in ${record.repository}.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

export function describeMissing({ path, branch, repository }: WorktreeRecord, directory: string): string {
  return `The worktree of this session, ${path}, no longer exists; continuing in ${directory}. Its commits are on the branch ${branch} of ${repository}.\n`;
}

/** Tells the user how to find the results of a worktree again, if there are any. */
export function describeOutcome(record: WorktreeRecord, end: WorktreeOutcome, sessionId: string | undefined): string {
  const { path, branch, repository } = record;
  if (end.kind === 'removed') return `The worktree had no changes and was removed with its branch ${branch}.\n`;
  if (end.kind === 'in use') return `Another process is using the worktree ${path}; it was kept.\n`;
  const { commits, uncommitted } = end;
  return `${[
    `The worktree was kept: ${path}`,
    `  branch   ${branch}, ${counted(commits, 'commit')}, ${counted(uncommitted, 'file')} not committed`,
    ...(sessionId === undefined ? [] : [`  resume   hermes --resume ${sessionId}`]),
    `  merge    git -C ${quoted(repository)} merge ${branch}${uncommitted === 0 ? '' : '   (commit there first)'}`,
    `  remove   git -C ${quoted(repository)} worktree remove --force ${quoted(path)} && git -C ${quoted(repository)} branch -D ${branch}`,
  ].join('\n')}\n`;
}

/** Quotes a path for a shell, if necessary. */
function quoted(path: string): string {
  return /^[\w./@%+:-]+$/.test(path) ? path : quoteShellWord(path);
}
