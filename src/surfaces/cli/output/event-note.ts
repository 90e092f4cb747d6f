import type { AgentEvent, RunResult } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { aboutTokens, describeCompressed } from '../../text/describe-compression.ts';
import { showable, type Style } from '../style.ts';

/** A line about an event; `progress` if it is only informational. */
type EventNote = { line: string; progress: boolean };

const LONG_WAIT_MS = 5_000;

/** Describes an event in one line; undefined for events that are shown in another way or not at all. */
export function noteOf(event: AgentEvent, style: Style): EventNote | undefined {
  switch (event.type) {
    case 'retry':
      return tell(style.yellow(`… ${shorten(showable(event.message), 200)}; retrying${describeWait(event.waitMs)}`));
    case 'fallback':
      return note(style.yellow(describeFallback(event)));
    case 'compression-started':
      return tell(style.dim(`(compressing ${aboutTokens(event.tokens)} tokens…)`));
    case 'compression-skipped':
      return tell(style.dim('(compression saved nothing)'));
    case 'compressed':
      return note(style.dim(describeCompressed(event)));
    case 'attachment-described':
      return note(style.dim(`(${showable(event.by)} described ${showable(event.name)}, which the model cannot read)`));
    case 'notified':
      return tell(style.dim(`· ${shorten(showable(event.text), 200)}`));
    case 'warning':
      return note(style.yellow(`! ${showable(event.message)}`));
    default:
      return undefined;
  }
}

const note = (line: string): EventNote => ({ line, progress: false });
const tell = (line: string): EventNote => ({ line, progress: true });

/** Mentions only waits that a user would notice. */
function describeWait(waitMs: number): string {
  return waitMs > LONG_WAIT_MS ? ` in ${Math.round(waitMs / 1000)} s` : '';
}

/** Enough for a reason with advice; a provider may send a whole HTML page. */
const MAX_REASON_LENGTH = 400;

/** Describes a switch to a fallback model. */
export function describeFallback({ from, to, reason }: Extract<AgentEvent, { type: 'fallback' }>): string {
  const why = shorten(showable(reason), MAX_REASON_LENGTH).replace(/\.$/, '');
  return `… ${showable(from)}: ${why}; switching to ${showable(to)}`;
}

/**
 * Returns a final text that was never streamed, such as a summary or "(empty)"; undefined if there is none or if the
 * last step already printed it.
 */
export function unsaidAnswer({ finalResponse }: RunResult, lastStep: string): string | undefined {
  const final = finalResponse.trim();
  const isSaid = lastStep !== '' && (final.endsWith(lastStep) || lastStep.endsWith(final));
  return final === '' || isSaid ? undefined : final;
}
