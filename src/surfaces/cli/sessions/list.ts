import type { SessionStore, SessionSummary } from '../../../contracts/index.ts';
import type { CliIo, OutputStream } from '../cli-io.ts';
import { showable } from '../style.ts';
import { fitWidth } from '../text-width.ts';
import { localTime } from '../../../util/index.ts';
import { withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

/** Of a title, where no terminal says how much room there is. */
const WIDEST_TITLE = 60;
const NARROWEST_TITLE = 20;

export type ListOptions = {
  limit: number;
  source?: string;
  /** Also those that were compressed and go on in another. */
  all?: boolean;
};

export async function listSessions(options: ListOptions & { json?: boolean }, io: CliIo): Promise<number> {
  const { json, ...what } = options;
  await withStore(io, async (store) => {
    if (json) writeJson(io.stdout, (await store.listSessions(toQuery(what))).map(withoutPrompt));
    else await writeSessions(store, what, io.stdout);
  });
  return 0;
}

/** One line per session, newest first: id, when, title or first words. */
export async function writeSessions(store: SessionStore, options: ListOptions, stdout: OutputStream): Promise<void> {
  const sessions = await store.listSessions(toQuery(options));
  const place = options.source === undefined ? '' : ` from ${showable(options.source)}`;
  if (sessions.length === 0) stdout.write(`There are no sessions${place} yet.\n`);
  for (const session of sessions) stdout.write(`${sessionLine(session, stdout.columns)}\n`);
}

function toQuery({ limit, source, all }: ListOptions) {
  return { limit, source, newestOnly: all !== true };
}

function sessionLine(session: SessionSummary, columns: number | undefined): string {
  const head = `${showable(session.id)}  ${localTime(session.lastActiveAt)}  `;
  const room = columns === undefined ? WIDEST_TITLE : Math.max(NARROWEST_TITLE, columns - head.length);
  return `${head}${fitWidth(showable(session.title ?? session.preview), room)}`;
}

// It is long, nearly the same in every session, and `show` has it.
function withoutPrompt({ systemPrompt: _, ...summary }: SessionSummary) {
  return summary;
}
