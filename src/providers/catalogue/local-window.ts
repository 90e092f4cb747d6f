import type { ModelClient } from '../../contracts/index.ts';
import { keepWindow, readKnownWindow } from './known-windows.ts';
import type { ProbeTarget } from './window-probe.ts';

/** The window of a model at a local server, once it is known. */
export type LocalWindow = {
  current(): number | undefined;
  /** The same client; its first call also asks for the window. */
  watch(client: ModelClient): ModelClient;
};

/**
 * The window matters from the second request on, so the server is asked beside the first one: no start waits for it.
 */
export function createLocalWindow(home: string, target: ProbeTarget): LocalWindow {
  const key = `${target.baseUrl} ${target.model}`;
  let read = false;
  let asked = false;
  let window: number | undefined;

  function recall(): void {
    if (read) return;
    read = true;
    const known = readKnownWindow(home, key, Date.now());
    window = known?.window;
    asked = known !== undefined;
  }

  async function ask(): Promise<void> {
    const { probeWindow } = await import('./window-probe.ts');
    window = await probeWindow(target);
    await keepWindow(home, key, window, Date.now());
  }

  return {
    current() {
      recall();
      return window;
    },
    watch: (client) => ({
      ...client,
      stream(request, options) {
        const answer = client.stream(request, options);
        recall();
        // Without a window the turn goes on as before; it only learns it later, from an error.
        if (!asked) ask().catch(() => undefined);
        asked = true;
        return answer;
      },
    }),
  };
}
