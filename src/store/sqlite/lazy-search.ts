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
  let loadingIndex: ReturnType<typeof loadIndex> | undefined;
  let loadingSearch: ReturnType<typeof loadSearch> | undefined;
  let appended = 0;
  // Storing messages needs the index alone, which is a small part of the search.
  const loadedIndex = () => (loadingIndex ??= loadIndex(connection));
  const loadedSearch = () => (loadingSearch ??= loadSearch(connection, loadedIndex()));
  return {
    searchMessages: async (query) => (await loadedSearch()).searchMessages(query),
    noteAppended(messages) {
      appended += messages;
      if (appended < CATCH_UP_EVERY || (whenAsked && loadingSearch === undefined)) return;
      appended = 0;
      // Nobody waits for it, and the messages are safe whatever comes of it.
      loadedIndex()
        .then((index) => index.catchUpQuietly())
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
