import { homePaths, type Settings } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { ChatTerminal, ChatTerminalHandlers } from '../terminal/chat-terminal.ts';
import { openDevice } from './device.ts';
import { createInputHistory } from './input-history.ts';
import { createNotifier } from './notify.ts';
import { createScreen } from './screen.ts';

/** The screen of this process. */
export function openScreen(io: CliIo, settings: Settings, handlers: ChatTerminalHandlers): ChatTerminal {
  const device = openDevice();
  const { approvals, display } = settings;
  const screen = createScreen(
    {
      ...{ io, device, showReasoning: display.showReasoning },
      approvalTimeoutMs: approvals.timeoutSeconds * 1000,
      history: createInputHistory(homePaths(settings.home).historyFile),
      notify: createNotifier(device, io.env, display.bell),
    },
    handlers,
  );
  // Also where something throws that nobody catches, or the process leaves at once: an exit always comes.
  process.once('exit', screen.close);
  io.stdin.once('end', handlers.onEnd);
  let isOpen = true;
  return {
    ...screen,
    close() {
      if (!isOpen) return;
      isOpen = false;
      process.off('exit', screen.close);
      io.stdin.off('end', handlers.onEnd);
      screen.close();
    },
  };
}
