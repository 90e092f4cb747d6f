import { HermesError } from '../base/index.ts';
import { outsideRepositories, runGit } from '../util/index.ts';

/** Git as the person uses it, with their own settings: it is their repository, and they asked for it. */
export interface UserGit {
  /** What it prints, without the last line end; undefined where it fails. */
  look(directory: string, ...args: string[]): Promise<string | undefined>;
  /** The same, but a failure is thrown with what git says. */
  act(directory: string, ...args: string[]): Promise<string>;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** A checkout of a large repository takes its time; one that waits for something never ends. */
const TIMEOUT_MS = 300_000;

export function createUserGit(variables: Variables): UserGit {
  // What starts us may be a hook of git, whose variables name its own repository. Nobody answers questions here.
  const env = { ...outsideRepositories(variables), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  const run = (directory: string, args: readonly string[]) =>
    runGit(args, { directory, env, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return {
    async look(directory, ...args) {
      const { code, output } = await run(directory, args);
      return code === 0 ? output.toString().replace(/\n$/, '') : undefined;
    },
    async act(directory, ...args) {
      const { code, output, errors } = await run(directory, args);
      if (code === 0) return output.toString().replace(/\n$/, '');
      throw new HermesError(`git ${args.slice(0, 2).join(' ')} failed: ${errors || `exit code ${code}`}`);
    },
  };
}
