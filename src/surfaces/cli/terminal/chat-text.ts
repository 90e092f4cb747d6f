import type { RouteSource } from '../../../contracts/index.ts';
import { describeChain, type OpenedAgent, type Runtime, skillWarnings } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { type Style, showable } from '../style.ts';
import { VERSION } from '../version.ts';
import { formatRecap } from './recap.ts';

/** What a chat begins with. */
export async function formatOpening(start: ChatStart, runtime: Runtime, style: Style): Promise<string> {
  return formatBanner(start, style) + (await cachingLine(start.routes, style)) + formatWarnings(start, runtime, style);
}

/** Two lines: what this is, and which model answers. */
function formatBanner(start: ChatStart, style: Style): string {
  const keys = style.dim('/help shows commands, Ctrl-C interrupts, Ctrl-D leaves');
  return `${style.bold(`Hermes ${VERSION}`)}  ${showable(describeChain(start.routes))}\n${keys}\n`;
}

const LIVES = { '5m': 'five minutes', '1h': 'an hour' } as const;

/** Whether the provider is asked to keep what it reads, which changes what a pause costs. */
async function cachingLine([route]: readonly RouteSource[], style: Style): Promise<string> {
  const ttl = await route?.findCacheTtl?.();
  if (route === undefined || ttl === undefined) return '';
  const line = `prompt caching is on for ${route.model} (${route.provider}), kept for ${LIVES[ttl]} after each use`;
  return `${style.dim(showable(line))}\n`;
}

/** What of the settings was ignored, and why. */
function formatWarnings({ settings, warnings }: ChatStart, runtime: Runtime, style: Style): string {
  const all = [...settings.warnings, ...warnings, ...runtime.warnings, ...skillWarnings(runtime.skills())];
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
