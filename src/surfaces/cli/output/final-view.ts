import type { OutputStream } from '../cli-io.ts';
import type { EventView } from './event-view.ts';

/** Nothing but the final text and a line break, for scripts. */
export function createFinalView(stdout: OutputStream): EventView {
  return {
    show: () => undefined,
    finish(result) {
      if (result.finalResponse !== '') stdout.write(`${result.finalResponse.replace(/\n+$/, '')}\n`);
    },
  };
}
