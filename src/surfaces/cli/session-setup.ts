import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import {
  appendedLayer,
  type PromptAdditions,
  readAdditions as findAdditions,
  withoutHeading,
} from '../../prompt/index.ts';
import type { Settings } from '../../config/index.ts';
import { type AgentBlueprint, findSession, type Runtime } from '../../runtime/index.ts';
import type { ChatOptions, SessionFlags } from './chat-options.ts';
import type { CliIo } from './cli-io.ts';
import { readFile } from './read-prompt.ts';

type Setup = Pick<AgentBlueprint, 'allowedTools' | 'disallowedTools' | 'addedFolders' | 'promptAdditions'>;

/** What the options of a chat change about its agents. */
export async function readSetup(
  { flags = {} }: ChatOptions,
  { workingDirectory }: CliIo,
  { terminal }: Pick<Settings, 'terminal'>,
): Promise<Setup> {
  const { allowedTools, disallowedTools, addDir } = flags;
  if (addDir !== undefined) requireThisMachine(terminal.backend);
  const promptAdditions = await readAdditions(flags, workingDirectory);
  return {
    ...(allowedTools && { allowedTools }),
    ...(disallowedTools && { disallowedTools }),
    ...(addDir && { addedFolders: addDir.map((path) => requireFolder(path, workingDirectory)) }),
    ...(promptAdditions && { promptAdditions }),
  };
}

async function readAdditions(
  { appendSystemPrompt: appended, systemPromptFile: file }: SessionFlags,
  workingDirectory: string,
): Promise<PromptAdditions | undefined> {
  if (appended === undefined && file === undefined) return undefined;
  if (file === undefined) return { appended };
  const replacement = await readFile(resolve(workingDirectory, file));
  if (replacement.trim() === '')
    throw new ConfigurationError(`--system-prompt-file: ${file} is empty.`, { hint: 'Write the prompt to the file.' });
  return { replacement, appended };
}

function requireThisMachine(backend: string): void {
  if (backend === 'local' || backend === 'sandbox') return;
  throw new ConfigurationError(`--add-dir: folders of this machine cannot be added to the backend ${backend}.`, {
    hint: 'Omit --add-dir, or mount the folder with terminal.docker_volumes.',
  });
}

/** The resolved path, because approvals and the sandbox compare resolved paths. */
function requireFolder(path: string, workingDirectory: string): string {
  // An unset variable of a script must not add the working directory.
  if (path.trim() === '')
    throw new ConfigurationError('--add-dir: the path is empty.', { hint: 'Pass a folder that exists.' });
  const full = resolve(workingDirectory, path);
  if (statSync(full, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ConfigurationError(`--add-dir: ${full} is not a folder.`, { hint: 'Pass a folder that exists.' });
  return realpathSync(full);
}

/** Throws if a session that is resumed has another prompt: it stays the same for the whole session. */
export async function assertSamePrompt(
  { store, blueprint }: Runtime,
  { resume, continueLatest }: ChatOptions,
): Promise<void> {
  if (resume === undefined && !continueLatest) return;
  const session = await findSession(store, { resume, continueLatest }, blueprint);
  const { systemPrompt, isPromptImported } = session ?? {};
  if (systemPrompt === undefined || isPromptImported || hasAdditions(systemPrompt, blueprint.promptAdditions ?? {}))
    return;
  throw new ConfigurationError(`The system prompt of session ${session?.id} cannot be changed.`, {
    hint: 'Resume it without --append-system-prompt and --system-prompt-file, or start a new session.',
  });
}

function hasAdditions(prompt: string, { replacement = '', appended }: PromptAdditions): boolean {
  const stored = findAdditions(prompt);
  const isSame = withoutHeading(replacement.trim()) === (stored.replacement ?? '');
  return isSame && appendedLayer(appended) === appendedLayer(stored.appended);
}
