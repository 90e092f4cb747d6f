import type { AgentEvent, RunResult } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { aboutTokens, describeCompressed } from '../../text/describe-compression.ts';
import { showable, type Style } from '../style.ts';

/** A line about something beside the answer; `progress` where it changes nothing and only says what goes on. */
type EventNote = { line: string; progress: boolean };

const LONG_WAIT_MS = 5_000;

/** What is said about an event in one line; undefined for those that are shown in other ways, or not at all. */
export function noteOf(event: AgentEvent, style: Style): EventNote | undefined {
  switch (event.type) {
    case 'retry':
      return tell(
        style.yellow(`… ${shorten(showable(event.message), 200)}; trying again${describeWait(event.waitMs)}`),
      );
    case 'fallback':
      return note(style.yellow(describeFallback(event)));
    case 'compression-started':
      return tell(style.dim(`(compressing ${aboutTokens(event.tokens)} tokens…)`));
    case 'compression-skipped':
      return tell(style.dim('(nothing could be saved)'));
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

/** A wait that is long enough to wonder about. */
function describeWait(waitMs: number): string {
  return waitMs > LONG_WAIT_MS ? ` in ${Math.round(waitMs / 1000)} s` : '';
}

/** Long enough for a reason with what to do about it; a provider may send a whole page. */
const MAX_REASON_LENGTH = 400;

/** The one line that a person sees when another model takes over. */
export function describeFallback({ from, to, reason }: Extract<AgentEvent, { type: 'fallback' }>): string {
  const why = shorten(showable(reason), MAX_REASON_LENGTH).replace(/\.$/, '');
  return `… ${showable(from)}: ${why}; going on with ${showable(to)}`;
}

/**
 * The final text where it was never streamed, as a summary or a stand-in such as "(empty)"; undefined where there is none,
 * or where the last step has said it already.
 */
export function unsaidAnswer({ finalResponse }: RunResult, lastStep: string): string | undefined {
  const final = finalResponse.trim();
  const isSaid = lastStep !== '' && (final.endsWith(lastStep) || lastStep.endsWith(final));
  return final === '' || isSaid ? undefined : final;
}
