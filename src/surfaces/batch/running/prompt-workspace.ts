import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HermesError } from '../../../base/index.ts';
import { DEFAULT_CONTAINER, type TerminalSettings } from '../../../config/index.ts';
import type { PromptLine } from '../prompts/read-prompts.ts';

/** The working directory and execution environment of a prompt, removed when the prompt is done. */
export type PromptWorkspace = { workingDirectory: string; terminal: TerminalSettings; remove(): Promise<void> };

export type WorkspaceOptions = {
  terminal: TerminalSettings;
  /** An empty folder for this prompt only. */
  workspace: string;
  /** The base of relative paths in the input. */
  inputFolder: string;
};

const CONTAINERS = ['docker', 'singularity'];
const LOCAL_BACKENDS = ['local', 'sandbox'];

/** Concurrent agents must not share a folder, unless their prompts specify one. */
export async function createWorkspace(
  { image, directory }: PromptLine,
  options: WorkspaceOptions,
): Promise<PromptWorkspace> {
  const { workspace, inputFolder } = options;
  const terminal = terminalFor(image, options.terminal);
  const remove = () => removeFolder(workspace);
  await makeEmpty(workspace);
  if (directory === undefined) return { workingDirectory: workspace, terminal, remove };
  if (!LOCAL_BACKENDS.includes(terminal.backend)) {
    return { workingDirectory: workspace, terminal: withDirectory(directory, terminal), remove };
  }
  const named = resolve(inputFolder, directory);
  const isFolder = await stat(named).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new HermesError(`The "cwd" of the line is not a folder: ${named}`);
  return { workingDirectory: named, terminal, remove };
}

/** Removes files that a killed process left behind. */
async function makeEmpty(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
}

/** Most prompts leave an empty folder, for which `rmdir` is enough. */
async function removeFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
}

/** A container for this prompt only, which is removed with it. */
function terminalFor(image: string | undefined, terminal: TerminalSettings): TerminalSettings {
  if (image === undefined) return terminal;
  const container = { volumes: [], extraArguments: [], ...DEFAULT_CONTAINER, ...terminal.container };
  return {
    ...terminal,
    backend: CONTAINERS.includes(terminal.backend) ? terminal.backend : 'docker',
    container: { ...container, dockerImage: image, singularityImage: image, persistent: false },
  };
}

/** The start directory on a remote machine; containers use the same setting. */
function withDirectory(directory: string, terminal: TerminalSettings): TerminalSettings {
  return { ...terminal, ssh: { ...terminal.ssh, directory } };
}
