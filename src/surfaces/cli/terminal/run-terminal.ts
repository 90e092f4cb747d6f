import { openConversation } from '../../../conversations/index.ts';
import { beginWithSkills, startBackgroundRefresh } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { openRuntime } from '../open-runtime.ts';
import type { OpenTerminal } from './chat-parts.ts';
import { type EarlyTerminal, openEarly } from './early-terminal.ts';
import { createPlainTerminal } from './plain-terminal.ts';
import { createTerminalChat, type TerminalChat } from './terminal-chat.ts';

/** A chat in a terminal, until the person leaves. */
export async function runTerminal(start: ChatStart): Promise<number> {
  if (wantsPlain(start)) return runChat(start, (handlers) => createPlainTerminal(start.io, handlers));
  const screen = await openScreenEarly(start);
  try {
    return await runChat(start, screen.connect);
  } finally {
    // Also where there never was a chat: what went wrong is said below the screen.
    screen.close();
  }
}

async function runChat(start: ChatStart, openTerminal: OpenTerminal): Promise<number> {
  const { resume, continueLatest } = start.options;
  const runtime = await openRuntime(start, true);
  const stopRefresh = startBackgroundRefresh({ ...start, logger: runtime.logger });
  try {
    // What is wrong on the command line is said before a chat begins.
    if (start.options.skills !== undefined) await beginWithSkills(runtime.skills(), start.options.skills, '');
    const conversation = await openConversation({
      services: runtime,
      blueprint: () => runtime.blueprint,
      session: { resume, continueLatest },
      onHeld: (held, signal) => chat.onHeld(held, signal),
      onNotice: (notice) => chat.onNotice(notice),
      // The chat decides by itself: these words go back to the input line or before the lines that wait.
      onUndelivered: () => undefined,
    });
    const chat: TerminalChat = createTerminalChat(start, { runtime, conversation, openTerminal });
    start.signals.takeOver(chat.end);
    return await chat.run();
  } finally {
    stopRefresh();
    await runtime.close();
  }
}

/** Loaded only where it is wanted, and before anything else: one can type while the rest is opened. */
async function openScreenEarly({ io, settings }: ChatStart): Promise<EarlyTerminal> {
  const { openScreen } = await import('../screen/index.ts');
  return openEarly((handlers) => openScreen(io, settings, handlers));
}

/** Whether a chat is held as plain lines: because someone says so, or because the terminal cannot do more. */
function wantsPlain({ io, options, settings }: Pick<ChatStart, 'io' | 'options' | 'settings'>): boolean {
  const { HERMES_PLAIN: asked, TERM: terminal } = io.env;
  if (options.plain || settings.display.plain || (asked !== undefined && asked !== '' && asked !== '0')) return true;
  // Without raw mode no key can be told from another.
  return terminal === 'dumb' || !('setRawMode' in io.stdin);
}
