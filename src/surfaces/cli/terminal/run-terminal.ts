import { startBackgroundRefresh } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { openRuntime } from '../open-runtime.ts';
import { createChatScreen } from './chat-screen.ts';

/** A chat in a terminal, until the person leaves. */
export async function runTerminal(start: ChatStart): Promise<number> {
  const { resume, continueLatest } = start.options;
  const runtime = await openRuntime(start, true);
  const stopRefresh = startBackgroundRefresh({ ...start, logger: runtime.logger });
  try {
    const screen = createChatScreen(start, runtime, await runtime.openAgent({ resume, continueLatest }));
    start.signals.takeOver(screen.end);
    return await screen.run();
  } finally {
    stopRefresh();
    await runtime.close();
  }
}
