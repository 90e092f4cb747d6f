import { Writable } from 'node:stream';
import { exitFacts } from '../../../base/index.ts';
import type { ChatStart } from '../chat.ts';
import type { OutputStream } from '../cli-io.ts';
import { createStyle } from '../style.ts';
import { describeFallback, describeRetry, isLongWait } from './event-note.ts';
import type { EventView } from './event-view.ts';
import type { JsonLines } from './json-lines.ts';
import { createTextView } from './text-view.ts';

/** Selects the view for one answer according to the command-line options. */
export function chooseView({ options, io, lines, schema }: ChatStart): EventView {
  if (lines !== undefined) return createJsonView(lines);
  const notes = options.quiet ? undefined : io.stderr;
  const final = createFinalView(io.stdout, notes);
  if (options.output === 'final') return schema === undefined ? final : onlyIfCompleted(final);
  const view = createTextView({
    text: schema === undefined ? io.stdout : discardStream(),
    notes,
    // Progress lines are for a user who waits; in the log of a job they would hide what matters.
    progress: io.stderr.isTTY === true || options.verbose,
    style: createStyle(io.stderr, io.env),
    live: io.stdout.isTTY === true && schema === undefined,
  });
  return schema === undefined ? view : { ...onlyIfCompleted(final), show: view.show };
}

/** With an answer schema, stdout contains valid JSON or nothing. */
function onlyIfCompleted(view: EventView): EventView {
  return { ...view, finish: (result, exitCode) => (result.completed ? view.finish(result, exitCode) : undefined) };
}

function discardStream(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/**
 * Prints only the final text and a line break, for scripts. A switch to a fallback model and a long wait before a retry
 * are reported to `notes`.
 */
function createFinalView(stdout: OutputStream, notes?: OutputStream): EventView {
  return {
    show(event) {
      if (event.type === 'fallback') notes?.write(`hermes: ${describeFallback(event)}\n`);
      if (event.type === 'retry' && isLongWait(event)) notes?.write(`hermes: ${describeRetry(event)}\n`);
    },
    finish(result) {
      if (result.finalResponse !== '') stdout.write(`${result.finalResponse.replace(/\n+$/, '')}\n`);
    },
  };
}

/** Prints one JSON object per event and line; the last line always has the type `result`. */
export function createJsonView(lines: JsonLines): EventView {
  return {
    show(event) {
      if (event.type !== 'finished') lines.write(event);
    },
    finish(result, exitCode = exitFacts(result.exitReason).exitCode) {
      // The messages are in the store; repeating them would double the output of every turn.
      const { messages: _, ...rest } = result;
      lines.end({ ...rest, exitCode });
    },
  };
}
