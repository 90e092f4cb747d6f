import { ConfigurationError } from '../../../base/index.ts';
import { findStorage, resolveHome } from '../../../config/index.ts';
import { type SessionRecord, type SessionStore, silentLogger } from '../../../contracts/index.ts';
import { openStore } from '../../../runtime/open-store.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';

/** The sessions of the home, open for as long as a command needs them. */
export async function withStore<T>(io: CliIo, use: (store: SessionStore) => Promise<T>): Promise<T> {
  // What the store finds and mends by itself is said here, because these commands keep no log.
  const say = (message: string) => writeReport(io, { message });
  const logger = { ...silentLogger, info: say, warn: say };
  const store = await openStore({ ...(await placeOf(io)), logger });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** What says where they are: of the configuration, nothing else is needed. */
export async function placeOf({ env }: Pick<CliIo, 'env'>) {
  const home = resolveHome(env);
  return { home, storage: await findStorage({ home, env }) };
}

/** The session that is meant by an id, a title or the beginning of an id. */
export async function requireSession(store: SessionStore, reference: string): Promise<SessionRecord> {
  const session = await store.resolveSession(reference);
  if (session !== undefined) return session;
  throw new ConfigurationError(`There is no session "${reference}".`, {
    hint: 'Give an id, the beginning of one (4 characters or more) or a title; `hermes sessions list` shows them.',
  });
}
