import { ConfigurationError } from '../base/index.ts';
import type { UserGit } from './user-git.ts';

export type Repository = {
  /** The top folder of the working tree. */
  top: string;
  /** Where in it the person is; '' at the top. */
  below: string;
  /** The commit that is checked out. */
  head: string;
};

/** The repository around a directory, or why no worktree can be made of it. */
export async function findRepository(git: UserGit, directory: string): Promise<Repository> {
  const inside = await git.act(directory, 'rev-parse', '--is-inside-work-tree').catch((thrown: Error) => {
    throw refuse(directory, thrown.message);
  });
  if (inside !== 'true') {
    throw new ConfigurationError(`${directory} is a bare repository, or inside of a .git folder.`, {
      hint: 'Start in a working tree of it, or leave out --worktree.',
    });
  }
  const top = await git.act(directory, 'rev-parse', '--show-toplevel');
  const head = await git.look(directory, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (head === undefined) {
    throw new ConfigurationError(`The repository ${top} has no commit yet, and a worktree begins at one.`, {
      hint: 'Make a first commit, or leave out --worktree.',
    });
  }
  return { top, head, below: (await git.act(directory, 'rev-parse', '--show-prefix')).replace(/\/$/, '') };
}

function refuse(directory: string, message: string): ConfigurationError {
  if (message.includes('not a git repository')) {
    return new ConfigurationError(`${directory} is not in a git repository, which --worktree needs.`, {
      hint: 'Start in one, make one with `git init`, or leave out --worktree.',
    });
  }
  return new ConfigurationError(`--worktree cannot be used in ${directory}: ${message}`);
}
