import { ConfigurationError } from '../../../base/index.ts';
import { findStorage, resolveHome } from '../../../config/index.ts';
import { type SessionRecord, type SessionStore, silentLogger } from '../../../contracts/index.ts';
import { openStore } from '../../../runtime/open-store.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';

/** Opens the store for one command and closes it afterwards. */
export async function withStore<T>(io: CliIo, use: (store: SessionStore) => Promise<T>): Promise<T> {
  // Repairs and warnings of the store are printed, because these commands write no log.
  const say = (message: string) => writeReport(io, { message });
  const logger = { ...silentLogger, info: say, warn: say };
  // Sessions in a home directory that cannot be written can still be listed, searched and exported.
  const store = await openStore({ ...(await storeLocation(io)), logger, allowReadOnly: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Reads where the store is; no other settings are needed. */
export async function storeLocation({ env }: Pick<CliIo, 'env'>) {
  const home = resolveHome(env);
  return { home, storage: await findStorage({ home, env }) };
}

/** Finds a session by id, id prefix or title. */
export async function requireSession(store: SessionStore, reference: string): Promise<SessionRecord> {
  const session = await store.resolveSession(reference);
  if (session !== undefined) return session;
  throw new ConfigurationError(`There is no session "${reference}".`, {
    hint: 'Pass an id, the start of one (at least 4 characters) or a title; `hermes sessions list` shows them.',
  });
}
