import type { SessionStore } from '../../contracts/index.ts';
import type { Connection } from './connection.ts';

type LazySearch = Pick<SessionStore, 'searchMessages'> & {
  /** Called after messages were stored; now and then this starts an index catch-up. */
  onAppended(messages: number): void;
};

/**
 * Most sessions are shorter, and a search indexes this many messages in a few milliseconds, so most runs neither load
 * nor update the index.
 */
const CATCH_UP_EVERY = 512;

/**
 * Loads the search on first use, because most runs only store messages. With `whenAsked`, our own index is updated
 * only by a search, which then waits for it.
 */
export function createLazySearch(connection: Connection, { whenAsked = false } = {}): LazySearch {
  let loadingIndex: ReturnType<typeof loadIndex> | undefined;
  let loadingSearch: ReturnType<typeof loadSearch> | undefined;
  let appended = 0;
  // Storing messages needs only the index, which is a small part of the search.
  const loadedIndex = () => (loadingIndex ??= loadIndex(connection));
  const loadedSearch = () => (loadingSearch ??= loadSearch(connection, loadedIndex()));
  return {
    searchMessages: async (query) => (await loadedSearch()).searchMessages(query),
    onAppended(messages) {
      appended += messages;
      if (appended < CATCH_UP_EVERY || (whenAsked && loadingSearch === undefined)) return;
      appended = 0;
      // Runs in the background; the messages are stored whether or not it succeeds.
      loadedIndex()
        .then((index) => index.catchUpInBackground())
        .catch(() => undefined);
    },
  };
}

async function loadIndex(connection: Connection) {
  const { createSearchIndex } = await import('./search-index.ts');
  return createSearchIndex(connection);
}

async function loadSearch(connection: Connection, index: ReturnType<typeof loadIndex>) {
  const { createSearch } = await import('./search.ts');
  return createSearch(connection, await index);
}
