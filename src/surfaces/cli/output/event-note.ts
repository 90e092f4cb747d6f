import type { AgentEvent, RunResult } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { aboutTokens, describeCompressed } from '../../text/describe-compression.ts';
import { printable, type Style } from '../style.ts';

/** A line about an event; `progress` if it is only informational. */
type EventNote = { line: string; progress: boolean };

const LONG_WAIT_MS = 5_000;

/** Describes an event in one line; undefined for events that are shown in another way or not at all. */
export function describeEvent(event: AgentEvent, style: Style): EventNote | undefined {
  switch (event.type) {
    case 'retry':
      return progressNote(
        style.yellow(`… ${shorten(printable(event.message), 200)}; retrying${describeWait(event.waitMs)}`),
      );
    case 'fallback':
      return note(style.yellow(describeFallback(event)));
    case 'compression-started':
      return progressNote(style.dim(`(compressing ${aboutTokens(event.tokens)} tokens…)`));
    case 'compression-skipped':
      return progressNote(style.dim('(compression saved nothing)'));
    case 'compressed':
      return note(style.dim(describeCompressed(event)));
    case 'attachment-described':
      return note(
        style.dim(`(${printable(event.by)} described ${printable(event.name)}, which the model cannot read)`),
      );
    case 'notified':
      return progressNote(style.dim(`· ${shorten(printable(event.text), 200)}`));
    case 'warning':
      return note(style.yellow(`! ${printable(event.message)}`));
    default:
      return undefined;
  }
}

const note = (line: string): EventNote => ({ line, progress: false });
const progressNote = (line: string): EventNote => ({ line, progress: true });

/** Mentions only waits that a user would notice. */
function describeWait(waitMs: number): string {
  return waitMs > LONG_WAIT_MS ? ` in ${Math.round(waitMs / 1000)} s` : '';
}

/** Enough for a reason with advice; a provider may send a whole HTML page. */
const MAX_REASON_LENGTH = 400;

/** Describes a switch to a fallback model. */
export function describeFallback({ from, to, reason }: Extract<AgentEvent, { type: 'fallback' }>): string {
  const why = shorten(printable(reason), MAX_REASON_LENGTH).replace(/\.$/, '');
  return `… ${printable(from)}: ${why}; switching to ${printable(to)}`;
}

/**
 * Returns a final text that was never streamed, such as a summary or "(empty)"; undefined if there is none or if the
 * last step already printed it.
 */
export function unprintedAnswer({ finalResponse }: RunResult, lastStep: string): string | undefined {
  const final = finalResponse.trim();
  const isSaid = lastStep !== '' && (final.endsWith(lastStep) || lastStep.endsWith(final));
  return final === '' || isSaid ? undefined : final;
}
