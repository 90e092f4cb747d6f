import { type Message, ownBlock } from '../base/index.ts';
import type { Turn } from './turn.ts';

/** The tool that asks the user to approve a plan. */
const PLAN_TOOL = 'clarify';

const BEGINNING = 'Plan mode is ';
const ON = `${BEGINNING}on: only calls that read run, and every other call is refused.`;
const WITH_TOOL = `Explore first. If the request needs changes, call ${PLAN_TOOL} with the complete plan in its parameter plan instead of making them: the user approves, edits or rejects it. Answer questions that need no change directly.`;
const WITHOUT_TOOL = 'If the request needs changes, answer with a complete plan instead of making them.';
const OFF = `${BEGINNING}off: calls that change something run again, with the usual approvals.`;

/**
 * A notice for the model if plan mode was switched on or off since the history last said so; otherwise an empty string.
 * The mode is stated in new messages and not in the system prompt, because it may change at any time and a changed prompt
 * would not be in the provider's cache.
 */
export async function planNotice({ options, session }: Pick<Turn, 'options' | 'session'>): Promise<string> {
  if (options.isPlanMode === undefined) return '';
  const isOn = options.isPlanMode();
  if (isOn === statedPlanMode(session.history)) return '';
  if (!isOn) return ownBlock('notice').write(OFF);
  const hasTool = options.attended && (await options.tools.names()).includes(PLAN_TOOL);
  return ownBlock('notice').write(`${ON} ${hasTool ? WITH_TOOL : WITHOUT_TOOL}`);
}

const MARK = `${ownBlock('notice').opening}\n${BEGINNING}`;

/** What the newest notice in the history says; off without one. A compression may have removed it. */
function statedPlanMode(history: readonly Message[]): boolean {
  for (let at = history.length - 1; at >= 0; at -= 1) {
    const text = withNotices(history[at]);
    // Searching from the start is several times faster, and most messages have no notice.
    if (text.includes(MARK)) return text.startsWith('on', text.lastIndexOf(MARK) + MARK.length);
  }
  return false;
}

/** The text of a message that may contain notices: what Hermes added to a user message, or a tool result. */
function withNotices(message: Message | undefined): string {
  if (message?.role === 'user') return message.sentContent ?? '';
  return message?.role === 'tool' ? message.content : '';
}
