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
      return { line: style.yellow(describeRetry(event)), progress: !isLongWait(event) };
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

type Retry = Extract<AgentEvent, { type: 'retry' }>;

/** Whether the user would notice the wait before the retry. */
export function isLongWait({ waitMs }: Retry): boolean {
  return waitMs > LONG_WAIT_MS;
}

export function describeRetry(retry: Retry): string {
  const wait = isLongWait(retry) ? ` in ${Math.round(retry.waitMs / 1000)} s` : '';
  return `… ${shorten(printable(retry.message), 200)}; retrying${wait}`;
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
