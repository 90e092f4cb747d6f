import { createRuntime } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { watchSignals } from '../signals.ts';
import { createChatScreen } from './chat-screen.ts';

/** A chat in a terminal, until the person leaves. */
export async function runInteractive(start: ChatStart): Promise<number> {
  const { io, options, settings } = start;
  const runtime = await createRuntime({
    settings,
    routes: start.routes,
    contextLength: start.contextLength,
    workingDirectory: io.workingDirectory,
    source: 'cli',
    attended: true,
    maxTurns: options.maxTurns,
    yolo: options.yolo,
    verbose: options.verbose,
  });
  const signals = watchSignals();
  try {
    const opened = await runtime.openAgent({ resume: options.resume, continueLatest: options.continueLatest });
    const screen = createChatScreen(start, runtime, opened);
    signals.signal.addEventListener('abort', screen.end, { once: true });
    return await screen.run();
  } finally {
    signals.stop();
    await runtime.close();
  }
}
