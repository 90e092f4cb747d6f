import type { OutputStream } from '../cli-io.ts';
import { describeFallback } from './describe-fallback.ts';
import type { EventView } from './event-view.ts';

/** Nothing but the final text and a line break, for scripts; `notes` is told when another model has to answer. */
export function createFinalView(stdout: OutputStream, notes?: OutputStream): EventView {
  return {
    show(event) {
      if (event.type === 'fallback') notes?.write(`hermes: ${describeFallback(event)}\n`);
    },
    finish(result) {
      if (result.finalResponse !== '') stdout.write(`${result.finalResponse.replace(/\n+$/, '')}\n`);
    },
  };
}
