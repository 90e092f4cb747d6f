import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, isJsonObject, type JsonValue, parseJson } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../util/index.ts';
import type { ServerList } from './list-tools.ts';
import type { ListedTool } from './read-tool.ts';

/** Counts up when what is kept gets another form. */
const VERSION = 1;

export type CachedList = ServerList & {
  savedAt: number;
  /** When it was found out that it has only old versions of the protocol. */
  legacyAt?: number | undefined;
};

/** The list of a server from the last time, so that a start need not wait for it. */
export interface ListCache {
  read(): Promise<CachedList | { slowAt: number } | undefined>;
  save(list: ServerList, now: number, legacyAt?: number): Promise<void>;
  /** It took so long that nobody waited for its list. */
  saveSlow(now: number): Promise<void>;
  forget(): Promise<void>;
}

export function createListCache(folder: string, name: string, settings: McpServerSettings): ListCache {
  const file = join(folder, `${digest(name)}.json`);
  const key = digest(identityOf(settings));
  const write = async (content: object) => {
    await ensurePrivateFolder(folder);
    await writeFileAtomic(file, JSON.stringify({ version: VERSION, key, name, ...content }), { mode: 0o600 });
  };
  return {
    async read() {
      const content = parseJson(await readFile(file, 'utf8').catch(() => ''));
      if (!isJsonObject(content) || content['version'] !== VERSION || content['key'] !== key) return undefined;
      const { savedAt, slowAt, legacyAt, tools, resources, prompts } = content;
      if (typeof slowAt === 'number') return { slowAt };
      if (typeof savedAt !== 'number' || !Array.isArray(tools) || !tools.every(isListed)) return undefined;
      return {
        savedAt,
        ...(typeof legacyAt === 'number' && { legacyAt }),
        tools: tools as ListedTool[],
        resources: resources === true,
        prompts: prompts === true,
        leftOut: [],
      };
    },
    save: ({ tools, resources, prompts }, now, legacyAt) =>
      write({ savedAt: now, legacyAt, tools, resources, prompts }),
    saveSlow: (now) => write({ slowAt: now }),
    forget: () => rm(file, { force: true }),
  };
}

/** All that can decide what a list looks like: everything but patience. Secrets go into a digest with the rest. */
function identityOf(settings: McpServerSettings): string {
  const { idleSeconds: _, lifetimeSeconds: __, ...named } = settings;
  const decides = { ...named, timeoutSeconds: 0, connectTimeoutSeconds: 0, keepaliveSeconds: 0 };
  return canonicalJson(JSON.parse(JSON.stringify(decides)) as JsonValue);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

function isListed(tool: JsonValue): boolean {
  return isJsonObject(tool) && typeof tool['original'] === 'string' && isJsonObject(tool['parameters']);
}
