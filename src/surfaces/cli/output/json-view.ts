import { exitFacts } from '../../../base/index.ts';
import type { EventView } from './event-view.ts';
import type { JsonLines } from './json-lines.ts';

/** One JSON object per event and line; the last line is always of the type `result`. */
export function createJsonView(lines: JsonLines): EventView {
  return {
    show(event) {
      if (event.type !== 'finished') lines.write(event);
    },
    finish(result, exitCode = exitFacts(result.exitReason).exitCode) {
      // The messages are in the store, and repeated here they would double the output of every turn.
      const { messages: _, ...rest } = result;
      lines.end({ ...rest, exitCode });
    },
  };
}
