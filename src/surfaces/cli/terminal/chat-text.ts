import type { Message } from '../../../base/index.ts';
import type { CacheTtlSetting, MarkerLevel, SessionRecord, TurnRecord } from '../../../contracts/index.ts';
import { describeChain, type OpenedAgent, type Runtime, skillWarnings } from '../../../runtime/index.ts';
import { shorten } from '../../../util/index.ts';
import { describeMove } from '../../text/session-lines.ts';
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

/** Returns a recap of a resumed session, or an empty string for a new one. */
export async function loadRecap(runtime: Runtime, opened: OpenedAgent, style: Style): Promise<string> {
  if (opened.resumed === undefined) return '';
  const { id } = opened.resumed;
  const [stored, turns] = await Promise.all([runtime.store.getMessages(id), runtime.store.getTurns(id)]);
  const messages = stored.map(({ message }) => message);
  // Turns that started after the newest message have been undone, so they are skipped.
  const last = turns.findLast(({ startedAt }) => startedAt <= (stored.at(-1)?.timestamp ?? 0));
  const { workingDirectory } = runtime.blueprint;
  const moved = describeMove(opened.resumed, workingDirectory);
  const changes = describeModelChange(opened) + (moved === undefined ? '' : `${moved}\n`);
  return formatRecap(opened.resumed, messages, last, style) + changes;
}

/** Tells the user if the session used another model before, which may have been selected for that session only. */
function describeModelChange({ resumed, models }: OpenedAgent): string {
  const [before, now] = [resumed?.model, models.routes()[0]?.model];
  if (before === undefined || now === undefined || before === now) return '';
  return `The model changed from ${printable(before)} to ${printable(now)}. Use /model to change it back.\n`;
}

/** The maximum number of characters of each message in a recap. */
const RECAP_TEXT_LIMIT = 300;

/** Shows the last exchange of a session, and what was left unfinished. */
export function formatRecap(
  session: SessionRecord,
  messages: readonly Message[],
  lastTurn: TurnRecord | undefined,
  style: Style,
): string {
  const name = printable(session.title === undefined ? session.id : `${session.title} (${session.id})`);
  const lines = [`Resuming ${name}, ${messages.length} messages.`];
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const question = messages[asked];
  if (question !== undefined) lines.push(`${style.cyan('❯')} ${brief(question.content || attachmentNames(question))}`);
  const after = messages.slice(asked + 1);
  const answer = after.findLast((message) => message.role === 'assistant' && message.content !== '');
  if (answer !== undefined) lines.push(brief(answer.content));
  const left = messages.length === 0 ? undefined : describeUnfinished(after, lastTurn);
  if (left !== undefined) lines.push(style.yellow(`! ${left}`));
  return `${lines.join('\n')}\n`;
}

/** Lists the attachments of a message that has no text. */
function attachmentNames(message: Message): string {
  const attachments = message.role === 'user' ? (message.attachments ?? []) : [];
  return attachments.map(({ name }) => `[${name}]`).join(' ');
}

function brief(text: string): string {
  return shorten(printable(text), RECAP_TEXT_LIMIT);
}

function describeUnfinished(after: readonly Message[], lastTurn: TurnRecord | undefined): string | undefined {
  const results = new Set(after.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const calls = after.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const open = calls.filter((call) => !results.has(call.id)).map((call) => printable(call.name));
  if (open.length > 0)
    return `Hermes exited while these tool calls were running: ${open.join(', ')}. They will not be repeated.`;
  const newest = after.at(-1);
  const answered = newest?.role === 'assistant' && (newest.toolCalls ?? []).length === 0;
  if (!answered)
    return `The last turn ended without an answer${formatExitReason(lastTurn)}. Type "continue" to resume it.`;
  return lastTurn === undefined || lastTurn.exitReason === 'completed'
    ? undefined
    : `The last turn ended${formatExitReason(lastTurn)}.`;
}

function formatExitReason(turn: TurnRecord | undefined): string {
  return turn === undefined || turn.exitReason === 'completed' ? '' : ` (${printable(turn.exitReason)})`;
}
