import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../util/index.ts';

/** What is kept of a login at a server: who we are to it, and its tokens, as the protocol package hands them over. */
export type StoredLogin = { client?: JsonObject; tokens?: JsonObject };

/** One private file per server. What was given by one address is never used at another. */
export interface TokenStore {
  read(): Promise<StoredLogin>;
  save(change: StoredLogin): Promise<void>;
  /** Removes tokens, if they are still those that were refused: another process may have got new ones. */
  forget(refused?: JsonObject): Promise<boolean>;
  /** Removes everything; false where there was nothing. */
  remove(): Promise<boolean>;
}

export function createTokenStore(folder: string, serverName: string, url: string): TokenStore {
  const readable = serverName.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  const file = join(folder, `${readable}-${createHash('sha256').update(serverName).digest('hex').slice(0, 8)}.json`);

  async function read(): Promise<StoredLogin> {
    const content = parseJson(await readFile(file, 'utf8').catch(() => ''));
    if (!isJsonObject(content) || content['url'] !== url) return {};
    const { client, tokens } = content;
    return { ...(isJsonObject(client) && { client }), ...(isJsonObject(tokens) && { tokens }) };
  }

  async function write(login: StoredLogin): Promise<void> {
    await ensurePrivateFolder(folder);
    await writeFileAtomic(file, `${JSON.stringify({ url, ...login }, undefined, 2)}\n`, { mode: 0o600 });
  }

  return {
    read,
    save: async (change) => write({ ...(await read()), ...change }),
    async forget(refused) {
      const { tokens, ...rest } = await read();
      if (tokens === undefined || (refused && tokens['access_token'] !== refused['access_token'])) return false;
      await write(rest);
      return true;
    },
    async remove() {
      const present = await readFile(file, 'utf8').catch(() => undefined);
      await rm(file, { force: true });
      return present !== undefined;
    },
  };
}
