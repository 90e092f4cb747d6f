import { loadSettings, resolveHome } from '../../config/index.ts';
import { inspectChosenTools, startWithSkills } from '../../runtime/index.ts';
import type { ChatOptions } from './chat-options.ts';
import type { CliIo } from './cli-io.ts';
import { requireSession, withStore } from './sessions/with-store.ts';
import { openLibrary } from './skills/list.ts';

/** Throws if a tool set, a skill or a session on the command line does not exist. */
export async function checkChatArguments(options: ChatOptions, io: CliIo): Promise<void> {
  const { toolsets, skills, resume } = options;
  if (toolsets !== undefined) {
    const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
    await inspectChosenTools(settings, { names: toolsets, location: '--toolsets' });
  }
  if (skills !== undefined) await startWithSkills((await openLibrary(io)).library, skills, '');
  if (resume !== undefined) await withStore(io, (store) => requireSession(store, resume));
}
