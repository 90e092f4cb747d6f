import { resolveHome } from '../../config/index.ts';
import type { SessionStore, SessionSummary } from '../../contracts/index.ts';
import { openStore } from '../../runtime/index.ts';
import { shorten } from '../../util/index.ts';
import type { CliIo, OutputStream } from './cli-io.ts';
import { showable } from './style.ts';

const LONGEST_TITLE = 60;

export async function listSessions(limit: number, io: CliIo): Promise<number> {
  const store = await openStore({ home: resolveHome(io.env) });
  try {
    await writeSessions(store, limit, io.stdout);
  } finally {
    await store.close();
  }
  return 0;
}

/** One line per session, newest first: id, when, title or first words. */
export async function writeSessions(store: SessionStore, limit: number, stdout: OutputStream): Promise<void> {
  const sessions = await store.listSessions({ limit });
  if (sessions.length === 0) stdout.write('There are no sessions yet.\n');
  for (const session of sessions) stdout.write(`${sessionLine(session)}\n`);
}

function sessionLine(session: SessionSummary): string {
  const title = shorten(showable(session.title ?? session.preview), LONGEST_TITLE);
  return `${session.id}  ${localTime(session.lastActiveAt)}  ${title}`;
}

/** Local time, like the one in the ids. */
function localTime(timestamp: number): string {
  const at = new Date(timestamp);
  // Another program writes into the same file, and a list is no place to fail over one row.
  if (Number.isNaN(at.getTime())) return 'at a time unknown';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
