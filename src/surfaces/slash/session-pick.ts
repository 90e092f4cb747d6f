import type { SessionStore } from '../../contracts/index.ts';
import { localTime } from '../../util/index.ts';
import { findRows, listRows, type SessionRow } from '../text/session-rows.ts';
import type { PickItem, PickRequest } from './pick-request.ts';

/** Lets the user select a session: the newest ones, or those whose title or messages match the search. */
export async function createSessionPick(store: SessionStore, except?: string): Promise<PickRequest> {
  const toItems = (rows: readonly SessionRow[]) => rows.filter(({ id }) => id !== except).map(toItem);
  return {
    title: 'Resume a session',
    items: toItems(await listRows(store, undefined, 0)),
    empty: 'There are no other sessions yet.',
    async search(query) {
      const [found, named] = await Promise.all([findRows(store, undefined, query), store.resolveSession(query.trim())]);
      const isListed = named === undefined || found.some(({ id }) => id === named.id);
      const first = isListed ? [] : [{ ...named, title: named.title, when: named.startedAt, about: named.id }];
      return toItems([...first, ...found]);
    },
  };
}

function toItem({ id, title, source, when, about }: SessionRow): PickItem {
  const origin = source === 'cli' ? '' : ` [${source}]`;
  const label = `${title ?? (about === '' ? id : about)}${origin}`.replace(/\s+/g, ' ');
  return { value: id, label, ...(title !== undefined && { about }), note: localTime(when) };
}
