import { existsSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import type { SandboxProgramName } from '../../util/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';
import { findSandboxProgram } from './find-sandbox.ts';
import { findStartProblem, makeSandboxFolder, wrapShells } from './sandbox-program.ts';
import { isWithinAny, type SandboxView } from './sandbox-view.ts';
import type { ShellWrapper } from './shell-host.ts';

export type ConfinementOptions = Pick<SandboxView, 'workingDirectory' | 'addedFolders' | 'network' | 'hidden'> & {
  env: Record<string, string>;
  exitTasks: ExitTasks;
  /** The sandbox of this system by default. */
  program?: SandboxProgramName | undefined;
  /** The folder of the shell state. Commands outside the sandbox run what is in there. */
  stateFolder(): string;
  /** The folders that commands in the sandbox can read besides the files of the machine. */
  folders(): readonly string[];
};

/** The sandbox for single commands of the local environment, or why there is none. */
export type Confinement = { wrapper: ShellWrapper; close(): void } | { problem: string };

/**
 * Prepares a sandbox for commands that start with the shell state of commands outside it, but do not change it. Here the working directory may
 * contain the home directory of the user: credentials are hidden, although the rest can be written.
 */
export async function openConfinement(options: ConfinementOptions): Promise<Confinement> {
  const { network, hidden, env, exitTasks } = options;
  const workingDirectory = realpathSync(options.workingDirectory);
  const addedFolders = options.addedFolders?.map((path) => realpathSync(path));
  const program = findSandboxProgram(env['PATH'], options.program);
  if ('message' in program) return { problem: program.message };
  const folder = makeSandboxFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  exitTasks.add(remove);
  const close = () => {
    exitTasks.remove(remove);
    remove();
  };
  const view = (): SandboxView => ({
    workingDirectory,
    addedFolders,
    network,
    hidden,
    folder,
    temporaryFolders: temporaryFolders(env, workingDirectory),
    visible: [
      { path: options.stateFolder(), writable: false },
      ...options.folders().map((path) => ({ path, writable: false })),
    ],
  });
  const problem = await findStartProblem(program, () => program.argumentsFor(view()).args);
  const temporary = program.temporaryFolder(folder);
  // Seatbelt cannot put the private folder at /tmp, so commands find it by the variable.
  const variables = temporary === '/tmp' ? undefined : { TMPDIR: temporary };
  if (problem === undefined) return { wrapper: { ...wrapShells(program, view), variables }, close };
  close();
  return { problem: problem.message };
}

/** The private /tmp also replaces `TMPDIR`, unless the working directory or the home directory is that folder. */
function temporaryFolders({ TMPDIR }: Record<string, string>, workingDirectory: string): string[] {
  if (TMPDIR === undefined || !existsSync(TMPDIR)) return [];
  const path = realpathSync(TMPDIR);
  return path === '/tmp' || isWithinAny(homedir(), [path]) || isWithinAny(path, [workingDirectory]) ? [] : [path];
}
