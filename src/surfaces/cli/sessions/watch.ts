import { systemClock } from '../../../base/index.ts';
import type { JsonValue } from '../../../base/index.ts';
import type { SessionRecord, SessionStore } from '../../../contracts/index.ts';
import { describeHolder, findHolder, followMessages } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { toSnakeCase } from '../../text/json-line.ts';
import { jsonText } from '../output/json-lines.ts';
import { createStyle, printable } from '../style.ts';
import { formatMessage, toRecord } from './format-message.ts';
import { requireSession, withStore } from './with-store.ts';

export type WatchOptions = { follow?: boolean; json?: boolean };

/**
 * Prints the messages that another process stores in a session: those of the running turn, or with `--follow` all
 * later ones.
 */
export async function watchSession(reference: string, options: WatchOptions, io: CliIo): Promise<number> {
  await withStore(io, async (store) => {
    const { id } = await newestOf(store, await requireSession(store, reference));
    const holder = await findHolder(store, id);
    const after = await startOfTurn(store, id, holder !== undefined);
    io.stderr.write(`${printable(holder === undefined ? noRunningTurn(id, options) : describeHolder(id, holder))}\n`);
    const style = createStyle(io.stdout, io.env);
    const { signal } = new AbortController();
    for await (const stored of followMessages({ store, clock: systemClock }, id, {
      after,
      signal,
      forever: options.follow,
    })) {
      const line = () => jsonText(toSnakeCase(toRecord(stored) as JsonValue));
      io.stdout.write(options.json ? `${line()}\n` : formatMessage(stored, style));
    }
    if ((await store.getSession(id)) === undefined) io.stderr.write('The session has been deleted.\n');
    else if (holder !== undefined) io.stderr.write('The turn has ended.\n');
  });
  return 0;
}

/** A turn runs in the newest session of the lineage. */
async function newestOf(store: SessionStore, session: SessionRecord): Promise<SessionRecord> {
  return (await store.newestInLineage(session.id)) ?? session;
}

/** The id of the last message before the running turn. Without one, all existing messages are skipped. */
export async function startOfTurn(store: SessionStore, sessionId: string, isRunning: boolean): Promise<number> {
  const messages = await store.getMessages(sessionId);
  const said = isRunning ? messages.findLast(({ message }) => message.role === 'user') : undefined;
  return said === undefined ? (messages.at(-1)?.id ?? 0) : said.id - 1;
}

function noRunningTurn(id: string, { follow }: WatchOptions): string {
  return follow
    ? `No turn is running in session ${id}; waiting for the next one. Press Ctrl-C to exit.`
    : `No turn is running in session ${id}. Use --follow to wait for one, or show the session: hermes sessions show ${id}`;
}
