import { type SessionStore, type SessionSummary, SUBAGENT_SOURCE } from '../../contracts/index.ts';

/** A row of the list, with the matching message if it was found by a search. */
export type SessionRow = {
  id: string;
  title: string | undefined;
  source: string;
  when: number;
  /** The first words of the session, or the snippet of a match. */
  about: string;
  messageId?: number;
};

/** Rows per page. */
export const ROWS_AT_ONCE = 100;

/** The newest sessions first. */
export async function listRows(store: SessionStore, source: string | undefined, offset: number): Promise<SessionRow[]> {
  return (await store.listSessions({ source, offset, limit: ROWS_AT_ONCE, newestOnly: true })).map(toRow);
}

/** Sessions with a matching title, then those with matching messages, each of them once. */
export async function findRows(store: SessionStore, source: string | undefined, query: string): Promise<SessionRow[]> {
  const text = query.trim();
  const [titled, { hits }] = await Promise.all([
    store.listSessions({ source, title: text, limit: ROWS_AT_ONCE, newestOnly: true }),
    // A prefix search, because the last word is still being typed.
    store.searchMessages({
      text: /\w\w\w$/.test(text) ? `${text}*` : text,
      ...(source ? { sources: [source] } : { excludedSources: [SUBAGENT_SOURCE] }),
      allWords: true,
      limit: ROWS_AT_ONCE,
    }),
  ]);
  const rows = new Map(titled.map((summary) => [summary.id, toRow(summary)]));
  for (const hit of hits) {
    const known = rows.get(hit.sessionId);
    if (known?.messageId !== undefined) continue;
    const about = hit.snippet.replaceAll('>>>', '').replaceAll('<<<', '');
    const title = known?.title ?? (await store.getSession(hit.sessionId))?.title;
    rows.set(hit.sessionId, {
      id: hit.sessionId,
      title,
      source: hit.source,
      when: hit.timestamp,
      about,
      messageId: hit.id,
    });
  }
  return [...rows.values()];
}

function toRow({ id, title, source, lastActiveAt, preview }: SessionSummary): SessionRow {
  return { id, title, source, when: lastActiveAt, about: preview };
}
