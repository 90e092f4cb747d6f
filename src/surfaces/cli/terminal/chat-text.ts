import type { RouteSource } from '../../../contracts/index.ts';
import { describeChain, type OpenedAgent, type Runtime, skillWarnings } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { type Style, showable } from '../style.ts';
import { VERSION } from '../version.ts';
import { formatRecap } from './recap.ts';

/** What a chat begins with, as far as it is known at once: what this is, which model answers, and where. */
export function formatOpening(start: ChatStart, runtime: Runtime, style: Style): string {
  const place = showable(start.io.workingDirectory);
  const keys = '/help shows commands, Ctrl-C interrupts, Ctrl-D leaves';
  const banner = `${style.bold(`Hermes ${VERSION}`)}  ${showable(describeChain(start.routes))}\n${place}  ${style.dim(keys)}\n`;
  return banner + formatWarnings(start, runtime, style);
}

const LIVES = { '5m': 'five minutes', '1h': 'an hour' } as const;

/** The third line, for which the model's facts and the tools are looked up: how much it reads, and with what it works. */
export async function formatAbilities([source]: readonly RouteSource[], opened: OpenedAgent, style: Style) {
  const [ttl, names, route] = await Promise.all([
    source?.findCacheTtl?.(),
    opened.toolNames(),
    opened.models.openPrimary(),
  ]);
  const parts = [
    route?.contextLength === undefined ? undefined : `${route.contextLength.toLocaleString('en')} tokens of context`,
    `${names.length} tools`,
    // It changes what a pause costs. Many services keep what they have read without being asked.
    ttl === undefined
      ? 'prompt caching is left to the provider'
      : `prompt caching is on, kept for ${LIVES[ttl]} after each use`,
  ];
  return `${style.dim(parts.filter(Boolean).join(' · '))}\n`;
}

/** What of the settings was ignored, and why. */
function formatWarnings({ settings, warnings }: ChatStart, runtime: Runtime, style: Style): string {
  const all = [...settings.warnings, ...warnings, ...runtime.warnings(), ...skillWarnings(runtime.skills())];
  return all.map((warning) => `${style.yellow('!')} ${showable(warning)}\n`).join('');
}

/** What a resumed session was about; nothing for a new one. */
export async function recapOf(runtime: Runtime, opened: OpenedAgent, style: Style): Promise<string> {
  if (opened.resumed === undefined) return '';
  const { id } = opened.resumed;
  const [stored, turns] = await Promise.all([runtime.store.getMessages(id), runtime.store.getTurns(id)]);
  const messages = stored.map(({ message }) => message);
  // A turn that began after the newest message was taken back.
  const last = turns.findLast(({ startedAt }) => startedAt <= (stored.at(-1)?.timestamp ?? 0));
  return formatRecap(opened.resumed, messages, last, style) + otherModel(opened);
}

/** A session that had another model until now: it may have been changed for this session alone. */
function otherModel({ resumed, models }: OpenedAgent): string {
  const [before, now] = [resumed?.model, models.routes()[0]?.model];
  if (before === undefined || now === undefined || before === now) return '';
  return `It was with ${showable(before)} until now, and goes on with ${showable(now)}; /model changes that.\n`;
}
