import type { Message } from '../../../base/index.ts';
import type { RouteSource, SessionRecord, TurnRecord } from '../../../contracts/index.ts';
import { describeChain, type OpenedAgent, type Runtime, skillWarnings } from '../../../runtime/index.ts';
import { shorten } from '../../../util/index.ts';
import type { ChatStart } from '../chat.ts';
import { type Style, showable } from '../style.ts';
import { VERSION } from '../version.ts';

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

/** How many characters of a message are shown. */
const RECAP_TEXT_LIMIT = 300;

/** What a person needs to know to go on: the last exchange, and what was left unfinished. */
export function formatRecap(
  session: SessionRecord,
  messages: readonly Message[],
  lastTurn: TurnRecord | undefined,
  style: Style,
): string {
  const name = showable(session.title === undefined ? session.id : `${session.title} (${session.id})`);
  const lines = [`Going on with ${name}, ${messages.length} messages.`];
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const question = messages[asked];
  if (question !== undefined) lines.push(`${style.cyan('❯')} ${brief(question.content || filesOf(question))}`);
  const after = messages.slice(asked + 1);
  const answer = after.findLast((message) => message.role === 'assistant' && message.content !== '');
  if (answer !== undefined) lines.push(brief(answer.content));
  const left = messages.length === 0 ? undefined : unfinished(after, lastTurn);
  if (left !== undefined) lines.push(style.yellow(`! ${left}`));
  return `${lines.join('\n')}\n`;
}

/** For a message that is nothing but its attachments. */
function filesOf(message: Message): string {
  const attachments = message.role === 'user' ? (message.attachments ?? []) : [];
  return attachments.map(({ name }) => `[${name}]`).join(' ');
}

function brief(text: string): string {
  return shorten(showable(text), RECAP_TEXT_LIMIT);
}

function unfinished(after: readonly Message[], lastTurn: TurnRecord | undefined): string | undefined {
  const results = new Set(after.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const calls = after.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const open = calls.filter((call) => !results.has(call.id)).map((call) => showable(call.name));
  if (open.length > 0) return `The program ended while these calls ran: ${open.join(', ')}. They are not repeated.`;
  const newest = after.at(-1);
  const answered = newest?.role === 'assistant' && (newest.toolCalls ?? []).length === 0;
  if (!answered) return `The last turn did not end with an answer${because(lastTurn)}. Say "go on" to continue.`;
  return lastTurn === undefined || lastTurn.exitReason === 'completed'
    ? undefined
    : `The last turn ended${because(lastTurn)}.`;
}

function because(turn: TurnRecord | undefined): string {
  return turn === undefined || turn.exitReason === 'completed' ? '' : ` (${showable(turn.exitReason)})`;
}
