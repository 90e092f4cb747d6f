import { describeChain, type OpenedAgent, type Runtime, skillWarnings } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { type Style, showable } from '../style.ts';
import { VERSION } from '../version.ts';
import { formatRecap } from './recap.ts';

/** Two lines: what this is, and which model answers. */
export function formatBanner(start: ChatStart, style: Style): string {
  const keys = style.dim('/help shows commands, Ctrl-C interrupts, Ctrl-D leaves');
  return `${style.bold(`Hermes ${VERSION}`)}  ${showable(describeChain(start.routes))}\n${keys}\n`;
}

/** What of the settings was ignored, and why. */
export function formatWarnings({ settings, warnings }: ChatStart, runtime: Runtime, style: Style): string {
  const all = [...settings.warnings, ...warnings, ...skillWarnings(runtime.skills())];
  return all.map((warning) => `${style.yellow('!')} ${showable(warning)}\n`).join('');
}

/** What a resumed session was about; nothing for a new one. */
export async function recapOf(runtime: Runtime, opened: OpenedAgent, style: Style): Promise<string> {
  if (opened.resumed === undefined) return '';
  const { id } = opened.resumed;
  const [messages, turns] = await Promise.all([runtime.store.getConversation(id), runtime.store.getTurns(id)]);
  return formatRecap(opened.resumed, messages, turns.at(-1), style) + otherModel(opened);
}

/** A session that had another model until now: it may have been changed for this session alone. */
function otherModel({ resumed, models }: OpenedAgent): string {
  const [before, now] = [resumed?.model, models.routes()[0]?.model];
  if (before === undefined || now === undefined || before === now) return '';
  return `It was with ${showable(before)} until now, and goes on with ${showable(now)}; /model changes that.\n`;
}
