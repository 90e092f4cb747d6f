import { type EnvironmentVariables, homePaths, type Settings } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { ChatTerminal, ChatTerminalHandlers } from '../terminal/chat-terminal.ts';
import { type Device, openDevice } from './device.ts';
import { createInputHistory } from './input-history.ts';
import { createScreen } from './screen.ts';

/** Opens the screen on the terminal of this process. */
export function openScreen(io: CliIo, settings: Settings, handlers: ChatTerminalHandlers): ChatTerminal {
  const device = openDevice();
  const { approvals, display } = settings;
  const screen = createScreen(
    {
      io,
      device,
      showReasoning: display.showReasoning,
      approvalTimeoutMs: approvals.timeoutSeconds * 1000,
      history: createInputHistory(homePaths(settings.home).historyFile),
      notify: createNotifier(device, io.env, display.bell),
    },
    handlers,
  );
  // Also restores the terminal after an uncaught error or `process.exit`.
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

const BELL = '\u0007';
/** Terminals that support desktop notifications with OSC 9. */
const OSC9_TERMINALS = /^(?:iTerm\.app|WezTerm|ghostty|kitty|rio)$/i;

/** Rings the bell, and shows a desktop notification where the terminal supports it. */
function createNotifier(device: Device, env: EnvironmentVariables, wanted: boolean): (text: string) => void {
  const message = OSC9_TERMINALS.test(env['TERM_PROGRAM'] ?? '') || env['TERM'] === 'xterm-kitty';
  return (text) => {
    if (wanted) device.write(message ? `\u001b]9;Hermes: ${text}${BELL}${BELL}` : BELL);
  };
}
