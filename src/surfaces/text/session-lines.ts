import type { SessionRecord, SessionStore, SessionSummary } from '../../contracts/index.ts';
import { localTime } from '../../util/index.ts';
import { printable } from './style.ts';
import { fitWidth } from '../../util/text-width.ts';

/** The maximum width of a title if the terminal width is unknown. */
const MAX_TITLE_WIDTH = 60;
const MIN_TITLE_WIDTH = 20;

export type ListOptions = {
  limit: number;
  source?: string;
  /** Include sessions that were compressed into another one, and sessions of subagents. */
  all?: boolean;
};

/** Formats one line per session, newest first: id, time, and title or preview. */
export async function formatSessions(
  store: Pick<SessionStore, 'listSessions'>,
  options: ListOptions,
  columns: number | undefined,
): Promise<string> {
  const sessions = await store.listSessions(toQuery(options));
  const origin = options.source === undefined ? '' : ` from ${printable(options.source)}`;
  if (sessions.length === 0) return `There are no sessions${origin} yet.\n`;
  return sessions.map((session) => `${sessionLine(session, columns)}\n`).join('');
}

export function toQuery({ limit, source, all }: ListOptions) {
  return { limit, source, newestOnly: all !== true };
}

function sessionLine(session: SessionSummary, columns: number | undefined): string {
  const head = `${printable(session.id)}  ${localTime(session.lastActiveAt)}  `;
  const room = columns === undefined ? MAX_TITLE_WIDTH : Math.max(MIN_TITLE_WIDTH, columns - head.length);
  return `${head}${fitWidth(printable(session.title ?? session.preview), room)}`;
}

/**
 * Tells the user that a session was used in another working directory before; undefined if it was not. The agent
 * tells the model with the next message.
 */
export function describeMove({ origin }: Pick<SessionRecord, 'origin'>, workingDirectory: string): string | undefined {
  if (origin === undefined || origin.workingDirectory === workingDirectory) return undefined;
  const [before, now] = [origin.workingDirectory, workingDirectory].map(printable);
  return `The working directory changed from ${before} to ${now}.`;
}
