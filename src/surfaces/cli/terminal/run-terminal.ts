import { openConversation } from '../../../conversations/index.ts';
import { startWithSkills, startBackgroundRefresh } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { STOP_TIMEOUT_MS } from '../exit-path.ts';
import { openRuntime } from '../open-runtime.ts';
import type { OpenTerminal } from './chat-parts.ts';
import { type EarlyTerminal, openEarlyTerminal } from './early-terminal.ts';
import { wantsPlain } from './plain-mode.ts';
import { createPlainTerminal } from './plain-terminal.ts';
import { createTerminalChat, type TerminalChat } from './terminal-chat.ts';

/** Runs a chat in a terminal until the user leaves. Returns the exit code. */
export async function runTerminal(start: ChatStart): Promise<number> {
  if (wantsPlain(start)) return runChat(start, (handlers) => createPlainTerminal(start.io, handlers));
  const screen = await openScreenEarly(start);
  try {
    return await runChat(start, screen.connect);
  } finally {
    // The screen is closed even if the chat fails to open, so that the error is printed below it.
    screen.close();
  }
}

async function runChat(start: ChatStart, openTerminal: OpenTerminal): Promise<number> {
  const { resume, continueLatest } = start.options;
  const runtime = await openRuntime(start, true);
  const stopRefresh = startBackgroundRefresh({ ...start, logger: runtime.logger });
  try {
    // Reports invalid `--skills` before the chat starts.
    if (start.options.skills !== undefined) await startWithSkills(runtime.skills(), start.options.skills, '');
    const conversation = await openConversation({
      services: runtime,
      blueprint: () => runtime.blueprint,
      session: { resume, continueLatest },
      onHeld: (held, signal) => chat.onHeld(held, signal),
      onNotice: (notice) => chat.onNotice(notice),
      // The chat handles undelivered text itself: it goes back to the input line, or in front of the queued lines.
      onUndelivered: () => undefined,
    });
    const chat: TerminalChat = createTerminalChat(start, { runtime, conversation, openTerminal });
    start.exits.setHandler(({ reason }) => chat.end(reason), STOP_TIMEOUT_MS);
    const exitCode = await chat.run();
    return start.exits.cause()?.exitCode ?? exitCode;
  } finally {
    stopRefresh();
    await runtime.close();
  }
}

/** Opened before anything else, so that the user can type while the chat loads. */
async function openScreenEarly({ io, settings }: ChatStart): Promise<EarlyTerminal> {
  await io.earlyInput?.readKeys();
  const { openScreen } = await import('../screen/index.ts');
  await io.earlyInput?.readKeys();
  return openEarlyTerminal((handlers) => openScreen(io, settings, handlers));
}
