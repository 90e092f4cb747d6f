import { beginWithSkills, startBackgroundRefresh } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { openRuntime } from '../open-runtime.ts';
import { wantsPlain } from './plain-mode.ts';
import { createPlainTerminal } from './plain-terminal.ts';
import type { OpenTerminal } from './chat-parts.ts';
import { createTerminalChat } from './terminal-chat.ts';

/** A chat in a terminal, until the person leaves. */
export async function runTerminal(start: ChatStart): Promise<number> {
  const { resume, continueLatest } = start.options;
  const [runtime, openTerminal] = await Promise.all([openRuntime(start, true), chooseTerminal(start)]);
  const stopRefresh = startBackgroundRefresh({ ...start, logger: runtime.logger });
  try {
    // What is wrong on the command line is said before a chat begins.
    if (start.options.skills !== undefined) await beginWithSkills(runtime.skills(), start.options.skills, '');
    const opened = await runtime.openAgent({ resume, continueLatest });
    const chat = createTerminalChat(start, { runtime, opened, openTerminal });
    start.signals.takeOver(chat.end);
    return await chat.run();
  } finally {
    stopRefresh();
    await runtime.close();
  }
}

/** The screen is loaded only where it is wanted. */
async function chooseTerminal(start: ChatStart): Promise<OpenTerminal> {
  const { io, settings } = start;
  if (wantsPlain(start)) return (handlers) => createPlainTerminal(io, handlers);
  const { openScreen } = await import('../screen/index.ts');
  return (handlers) => openScreen(io, settings, handlers);
}
