import { beginWithSkills, startBackgroundRefresh } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { openRuntime } from '../open-runtime.ts';
import { createChatScreen } from './chat-screen.ts';

/** A chat in a terminal, until the person leaves. */
export async function runTerminal(start: ChatStart): Promise<number> {
  const { resume, continueLatest } = start.options;
  const runtime = await openRuntime(start, true);
  const stopRefresh = startBackgroundRefresh({ ...start, logger: runtime.logger });
  try {
    // What is wrong on the command line is said before a chat begins.
    if (start.options.skills !== undefined) await beginWithSkills(runtime.skills(), start.options.skills, '');
    const screen = createChatScreen(start, runtime, await runtime.openAgent({ resume, continueLatest }));
    start.signals.takeOver(screen.end);
    return await screen.run();
  } finally {
    stopRefresh();
    await runtime.close();
  }
}
