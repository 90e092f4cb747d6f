import type { AgentEvent } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { showable } from '../style.ts';

/** Long enough for a reason with what to do about it; a provider may send a whole page. */
const LONGEST_REASON = 400;

/** The one line that a person sees when another model takes over. */
export function describeFallback({ from, to, reason }: Extract<AgentEvent, { type: 'fallback' }>): string {
  const why = shorten(showable(reason), LONGEST_REASON).replace(/\.$/, '');
  return `… ${showable(from)}: ${why}; going on with ${showable(to)}`;
}
