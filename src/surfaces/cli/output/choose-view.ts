import { Writable } from 'node:stream';
import type { ChatStart } from '../chat.ts';
import { createStyle } from '../style.ts';
import type { EventView } from './event-view.ts';
import { createFinalView } from './final-view.ts';
import { createJsonView } from './json-view.ts';
import { createTextView } from './text-view.ts';

/** How one answer is shown, as the command line wants it. */
export function chooseView({ options, io, lines, schema }: ChatStart): EventView {
  if (lines !== undefined) return createJsonView(lines);
  const notes = options.quiet ? undefined : io.stderr;
  const final = createFinalView(io.stdout, notes);
  if (options.output === 'final') return schema === undefined ? final : onlyCompleted(final);
  const view = createTextView({
    text: schema === undefined ? io.stdout : nowhere(),
    notes,
    // Lines about each step are for someone who waits; in the log of a job they would hide what matters.
    progress: io.stderr.isTTY === true || options.verbose,
    style: createStyle(io.stderr, io.env),
    live: io.stdout.isTTY === true && schema === undefined,
  });
  return schema === undefined ? view : { ...onlyCompleted(final), show: view.show };
}

/** With a schema, standard output has JSON that validates, or nothing at all. */
function onlyCompleted(view: EventView): EventView {
  return { ...view, finish: (result, exitCode) => (result.completed ? view.finish(result, exitCode) : undefined) };
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
