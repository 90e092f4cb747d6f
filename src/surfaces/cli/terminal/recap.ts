import type { Message } from '../../../base/index.ts';
import type { SessionRecord, StoredMessage, TurnRecord } from '../../../contracts/index.ts';
import type { OpenedAgent, Runtime } from '../../../runtime/index.ts';
import { describeMove } from '../../text/session-lines.ts';
import { type Style, printable } from '../style.ts';

/** What a chat shows of the session that it resumes. */
export type Recap = {
  heading: string;
  /** The last exchanges. */
  exchanges: readonly StoredMessage[];
  /** What was left unfinished, and what has changed since; may be empty. */
  notes: string;
};

/** Returns a recap of a resumed session; undefined for a new one. */
export async function loadRecap(runtime: Runtime, opened: OpenedAgent, style: Style): Promise<Recap | undefined> {
  if (opened.resumed === undefined) return undefined;
  const { id } = opened.resumed;
  const [stored, turns] = await Promise.all([runtime.store.getMessages(id), runtime.store.getTurns(id)]);
  // Turns that started after the newest message have been undone, so they are skipped.
  const last = turns.findLast(({ startedAt }) => startedAt <= (stored.at(-1)?.timestamp ?? 0));
  const { workingDirectory } = runtime.blueprint;
  const moved = describeMove(opened.resumed, workingDirectory);
  const changes = describeModelChange(opened) + (moved === undefined ? '' : `${moved}\n`);
  const recap = createRecap(opened.resumed, stored, last, style);
  return { ...recap, notes: recap.notes + changes };
}

/** Tells the user if the session used another model before, which may have been selected for that session only. */
function describeModelChange({ resumed, models }: OpenedAgent): string {
  const [before, now] = [resumed?.model, models.routes()[0]?.model];
  if (before === undefined || now === undefined || before === now) return '';
  return `The model changed from ${printable(before)} to ${printable(now)}. Use /model to change it back.\n`;
}

/** How many exchanges a recap contains: a message of the user and everything up to the next one. */
const MAX_EXCHANGES = 3;

/** Selects the last exchanges of a session, and describes what was left unfinished. */
export function createRecap(
  session: SessionRecord,
  stored: readonly StoredMessage[],
  lastTurn: TurnRecord | undefined,
  style: Style,
): Recap {
  const name = printable(session.title === undefined ? session.id : `${session.title} (${session.id})`);
  const messages = stored.map(({ message }) => message);
  const asked = stored.flatMap(({ message, isReplacement }, index) =>
    message.role === 'user' && !isReplacement ? [index] : [],
  );
  const after = messages.slice((asked.at(-1) ?? -1) + 1);
  const left = messages.length === 0 ? undefined : describeUnfinished(after, lastTurn);
  return {
    heading: `Resuming ${name}, ${messages.length} messages.\n`,
    exchanges: stored.slice(asked.at(-MAX_EXCHANGES) ?? asked[0] ?? 0).filter(({ isReplacement }) => !isReplacement),
    notes: left === undefined ? '' : `${style.yellow(`! ${left}`)}\n`,
  };
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
