import type { CacheTtlSetting, MarkerLevel } from '../../../contracts/index.ts';
import { describeChain, type OpenedAgent, type Runtime, skillWarnings } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { type Style, printable } from '../style.ts';
import { VERSION } from '../version.ts';

const PLAN_MODE = 'Plan mode is on: only read-only tools run until you approve a plan. /plan off ends it.\n';

/** Formats the banner of a chat: version, model, working directory, plan mode, and warnings. */
export function formatBanner(start: ChatStart, runtime: Runtime, isPlanMode: boolean, style: Style): string {
  const directory = printable(start.io.workingDirectory);
  const keys = '/help lists commands, Ctrl-C interrupts, Ctrl-D exits';
  const banner = `${style.bold(`Hermes ${VERSION}`)}  ${printable(describeChain(start.routes))}\n${directory}  ${style.dim(keys)}\n`;
  return banner + (isPlanMode ? style.yellow(PLAN_MODE) : '') + formatWarnings(start, runtime, style);
}

const TTL_LABELS = {
  '5m': '5 minutes after the last use',
  '1h': '1 hour after the last use',
  auto: '5 minutes after the last use, 1 hour after the first pause',
} as const;

/**
 * Formats the third line of the banner: context window, number of tools, prompt caching. It is separate because these
 * values have to be looked up.
 */
export async function formatModelSummary(
  { routes: [source] }: Pick<ChatStart, 'routes'>,
  runtime: Runtime,
  opened: OpenedAgent,
  style: Style,
) {
  const [ttl, names, route] = await Promise.all([
    source?.findCacheTtl?.(),
    opened.toolNames(),
    opened.models.openPrimary(),
  ]);
  const parts = [
    route?.contextLength === undefined
      ? undefined
      : `context window: ${route.contextLength.toLocaleString('en')} tokens`,
    `${names.length} tools`,
    // The cache lifetime determines what a pause costs. Many providers cache prompts without cache markers.
    describeCaching(ttl, route && runtime.context.cacheMarkers.find(route)),
  ];
  return `${style.dim(parts.filter(Boolean).join(' · '))}\n`;
}

function describeCaching(ttl: CacheTtlSetting | undefined, level: MarkerLevel | undefined): string {
  if (ttl === undefined) return 'prompt caching: provider default';
  if (level === 'none') return 'prompt caching: provider default, because it rejects cache markers';
  return `prompt caching: on, expires ${TTL_LABELS[ttl]}`;
}

/** Lists the settings that were ignored, with the reasons. */
function formatWarnings({ settings, warnings }: ChatStart, runtime: Runtime, style: Style): string {
  const all = [...settings.warnings, ...warnings, ...runtime.warnings(), ...skillWarnings(runtime.skills())];
  return all.map((warning) => `${style.yellow('!')} ${printable(warning)}\n`).join('');
}
