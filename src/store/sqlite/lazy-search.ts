import type { SessionStore } from '../../contracts/index.ts';
import type { Connection } from './connection.ts';

type LazySearch = Pick<SessionStore, 'searchMessages'> & {
  /** Says that messages were stored: from time to time that is a reason to bring our own index up to them. */
  noteAppended(messages: number): void;
};

const CATCH_UP_EVERY = 64;

/**
 * The search, loaded when it is first needed: most runs only store messages, and few of them many. With `whenAsked` our
 * own index is left behind until somebody searches, who then waits for it.
 */
export function createLazySearch(connection: Connection, { whenAsked = false } = {}): LazySearch {
  let loading: ReturnType<typeof load> | undefined;
  let appended = 0;
  const loaded = () => (loading ??= load(connection));
  return {
    searchMessages: async (query) => (await loaded()).search.searchMessages(query),
    noteAppended(messages) {
      appended += messages;
      if (appended < CATCH_UP_EVERY || (whenAsked && loading === undefined)) return;
      appended = 0;
      // Nobody waits for it, and the messages are safe whatever comes of it.
      loaded()
        .then(({ index }) => index.catchUpQuietly())
        .catch(() => undefined);
    },
  };
}

async function load(connection: Connection) {
  const [{ createSearch }, { createSearchIndex }] = await Promise.all([
    import('./search.ts'),
    import('./search-index.ts'),
  ]);
  const index = createSearchIndex(connection);
  return { index, search: createSearch(connection, index) };
}
