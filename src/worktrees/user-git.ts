import { HermesError } from '../base/index.ts';
import { withoutRepositoryVariables, runGit } from '../util/index.ts';

/** Runs git with the user's own configuration, because it works on the user's repository at their request. */
export interface UserGit {
  /** Returns the output without the last line end; undefined if git fails. */
  tryRun(directory: string, ...args: string[]): Promise<string | undefined>;
  /** The same, but throws git's error message if it fails. */
  run(directory: string, ...args: string[]): Promise<string>;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Kills git commands that hang. Generous, because checking out a large repository takes long. */
const TIMEOUT_MS = 300_000;

export function createUserGit(variables: Variables): UserGit {
  // Hermes may have been started by a git hook, whose variables refer to its own repository. Prompts are disabled
  // because no user could answer them.
  const env = { ...withoutRepositoryVariables(variables), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  const run = (directory: string, args: readonly string[]) =>
    runGit(args, { directory, env, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return {
    async tryRun(directory, ...args) {
      const { code, output } = await run(directory, args);
      return code === 0 ? output.toString().replace(/\n$/, '') : undefined;
    },
    async run(directory, ...args) {
      const { code, output, errors } = await run(directory, args);
      if (code === 0) return output.toString().replace(/\n$/, '');
      throw new HermesError(`git ${args.slice(0, 2).join(' ')} failed: ${errors || `exit code ${code}`}`);
    },
  };
}
