import type { AgentEvent } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { showable } from '../style.ts';

/** Long enough for a reason with what to do about it; a provider may send a whole page. */
const LONGEST_REASON = 400;

/** The one line that a person sees when another model takes over. */
export function describeFallback({ to, reason }: Extract<AgentEvent, { type: 'fallback' }>): string {
  return `… going on with ${showable(to)}: ${shorten(showable(reason), LONGEST_REASON)}`;
}
