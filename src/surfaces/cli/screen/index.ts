import { type EnvironmentVariables, homePaths, type Settings } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { ChatTerminal, ChatTerminalHandlers } from '../terminal/chat-terminal.ts';
import { openDevice } from './device.ts';
import type { LivePart } from './canvas.ts';
import { createInputHistory } from './input-history.ts';
import { createNotifier } from './notifier.ts';
import { createScreen } from './screen.ts';

/** Opens the screen on the terminal of this process. */
export function openScreen(io: CliIo, settings: Settings, handlers: ChatTerminalHandlers): ChatTerminal {
  const device = openDevice();
  const { approvals, display } = settings;
  const earlyFrame = io.earlyInput?.handOver();
  const screen = createScreen(
    {
      io,
      device,
      showReasoning: display.showReasoning,
      themeName: display.theme,
      approvalTimeoutMs: approvals.timeoutSeconds * 1000,
      history: createInputHistory(homePaths(settings.home).historyFile),
      notify: createNotifier(device, io.env, display),
      ...(earlyFrame && { earlyFrame }),
      onFirstFrame: (frame) => saveLater(frame, device.columns, io.env, settings.home),
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

const SAVE_MS = 500;

/** Stores the first frame for the next chat, but not while this one starts. */
function saveLater({ lines, cursor }: LivePart, columns: number, env: EnvironmentVariables, home: string): void {
  const save = async () => {
    const { saveFirstFrame } = await import('../terminal/save-first-frame.ts');
    if (cursor !== undefined) await saveFirstFrame({ lines, cursor }, { home, env, columns });
  };
  // With a read-only home, the next chat only shows its input line a little later.
  setTimeout(() => void save().catch(() => undefined), SAVE_MS).unref();
}
