import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HermesError } from '../../../base/index.ts';
import { DEFAULT_CONTAINER, type TerminalSettings } from '../../../config/index.ts';
import type { PromptLine } from '../prompts/read-prompts.ts';

/** Where a prompt works. It is taken away when the prompt is done. */
export type PromptPlace = { workingDirectory: string; terminal: TerminalSettings; remove(): Promise<void> };

export type PlaceOptions = {
  terminal: TerminalSettings;
  /** An empty folder of its own. */
  workspace: string;
  /** What relative paths of the input are relative to. */
  inputFolder: string;
};

const CONTAINERS = ['docker', 'singularity'];
const HERE = ['local', 'sandbox'];

/** Agents that work beside each other must not meet in one folder, unless their prompts name one. */
export async function makePlace({ image, directory }: PromptLine, options: PlaceOptions): Promise<PromptPlace> {
  const { workspace, inputFolder } = options;
  const terminal = terminalFor(image, options.terminal);
  const remove = () => removeFolder(workspace);
  await makeEmpty(workspace);
  if (directory === undefined) return { workingDirectory: workspace, terminal, remove };
  if (!HERE.includes(terminal.backend)) {
    return { workingDirectory: workspace, terminal: withDirectory(directory, terminal), remove };
  }
  const named = resolve(inputFolder, directory);
  const isFolder = await stat(named).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new HermesError(`The "cwd" of the line, ${named}, is no folder.`);
  return { workingDirectory: named, terminal, remove };
}

/** What a process that was killed left there is not for the next one. */
async function makeEmpty(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
}

/** Most prompts leave nothing behind, and then this is one call. */
async function removeFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
}

/** A container for the prompt alone, which goes with it. */
function terminalFor(image: string | undefined, terminal: TerminalSettings): TerminalSettings {
  if (image === undefined) return terminal;
  const container = { volumes: [], extraArguments: [], ...DEFAULT_CONTAINER, ...terminal.container };
  return {
    ...terminal,
    backend: CONTAINERS.includes(terminal.backend) ? terminal.backend : 'docker',
    container: { ...container, dockerImage: image, singularityImage: image, persistent: false },
  };
}

/** Where shells begin that are not on this machine; containers go by the same setting. */
function withDirectory(directory: string, terminal: TerminalSettings): TerminalSettings {
  return { ...terminal, ssh: { ...terminal.ssh, directory } };
}
