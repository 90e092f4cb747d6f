import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { markFolder, removeAbandonedFolders } from '../../util/index.ts';
import { failure } from './acp-failure.ts';

/** Where a command runs: an empty folder of its own. */
export type AgentFolder = { readonly path: string; remove(): void };

const PREFIX = 'hermes-acp-';

/** Makes it, beside the word whose it is. Those of programs that were killed are removed first. */
export function makeAgentFolder(): AgentFolder {
  let folder = '';
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    removeAbandonedFolders(tmpdir(), PREFIX);
    folder = mkdtempSync(join(tmpdir(), PREFIX));
    markFolder(folder);
    const path = join(folder, 'empty');
    mkdirSync(path);
    return { path, remove };
  } catch (thrown) {
    if (folder !== '') remove();
    throw failure('format_error', `No folder could be made for the command: ${errorMessage(thrown)}`);
  }
}
