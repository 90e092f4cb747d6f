import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, canonicalJson, errorMessage, isJsonObject, type JsonValue, parseJson } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import type { Logger } from '../contracts/index.ts';
import { createSemaphore, ensurePrivateFolder, writeFileAtomic } from '../util/index.ts';
import { type ListedTool, listTools, type ServerCapabilities } from './list-tools.ts';
import { type SendServerRequest, createServerTools, type McpTool } from './server-tools.ts';
import type { McpSession } from './session.ts';

/** Increased when the file format changes. */
const VERSION = 2;

/** The cached state of a server. `fresh`: its list need not be fetched again. `slow`: startup does not wait for it. */
export type CachedListState = { known: boolean; fresh: boolean; slow: boolean };

export type ToolListSource = 'server' | 'cache' | 'none';

/** The tool list of a server, first from the cache and then from the server itself. */
export interface ServerToolList {
  tools(): readonly McpTool[];
  leftOut(): ServerCapabilities['leftOut'];
  origin(): ToolListSource;
  loadCache(): Promise<CachedListState>;
  /** Whether the server recently turned out to support only old protocol versions, so that negotiation is skipped. */
  isLegacy(): Promise<boolean>;
  /** Records that version negotiation failed. */
  recordLegacy(): void;
  /** Records that the server was too slow, so that the next startup does not wait for it. */
  recordSlow(): Promise<void>;
  /** Fetches the list from the server and caches it. */
  refresh(session: McpSession): Promise<void>;
  forget(): Promise<void>;
}

export type ServerToolListOptions = {
  name: string;
  settings: McpServerSettings;
  cacheFolder: string;
  ask: SendServerRequest;
  clock: Clock;
  logger: Logger;
};

/**
 * How long a cached list is used without fetching it again. An older one is still used, and refreshed in the
 * background.
 */
const FRESH_MS = 24 * 3600_000;
/** How long a server is assumed to support only old protocol versions. */
const LEGACY_MS = 7 * 24 * 3600_000;
/** How long startup does not wait for a server that was too slow. */
const SLOW_MS = 3600_000;

export function createServerToolList({
  name,
  settings,
  cacheFolder,
  ask,
  clock,
  logger,
}: ServerToolListOptions): ServerToolList {
  const oneAtATime = createSemaphore(1);
  const cache = createListCache(cacheFolder, name, settings);
  let list: ServerCapabilities | undefined;
  let origin: ToolListSource = 'none';
  let tools: readonly McpTool[] = [];
  let legacyAt: number | undefined;

  function take(found: ServerCapabilities, from: 'server' | 'cache'): void {
    list = found;
    origin = from;
    tools = createServerTools(name, found, settings, ask);
  }

  async function fetchList(session: McpSession): Promise<void> {
    const { include, exclude, resources, prompts, connectTimeoutSeconds } = settings;
    const limits = { timeoutMs: connectTimeoutSeconds * 1000, trusted: settings.trust === 'full' };
    const found = await listTools(session, { include, exclude, resources, prompts, ...limits });
    take(found, 'server');
    for (const { name: tool, reason, unwanted } of found.leftOut)
      if (!unwanted) logger.warn('skipped a tool of an MCP server', { server: name, tool, reason });
    // If negotiation was skipped, there is no new result, so the old time is kept.
    legacyAt = session.legacy ? (legacyAt ?? clock.now()) : undefined;
    await cache.save(found, clock.now(), legacyAt).catch((thrown: unknown) => {
      logger.warn('could not cache the tool list of an MCP server', { server: name, error: errorMessage(thrown) });
    });
  }

  return {
    tools: () => tools,
    leftOut: () => list?.leftOut ?? [],
    origin: () => origin,
    async loadCache() {
      const cached = await cache.read();
      if (cached === undefined) return { known: false, fresh: false, slow: false };
      if ('slowAt' in cached) return { known: false, fresh: false, slow: clock.now() - cached.slowAt < SLOW_MS };
      if (origin === 'none') take(cached, 'cache');
      return { known: true, fresh: clock.now() - cached.savedAt < FRESH_MS, slow: false };
    },
    async isLegacy() {
      const cached = legacyAt === undefined ? await cache.read() : { legacyAt };
      const since = cached !== undefined && 'legacyAt' in cached ? cached.legacyAt : undefined;
      legacyAt = since !== undefined && clock.now() - since < LEGACY_MS ? since : undefined;
      return legacyAt !== undefined;
    },
    recordLegacy() {
      legacyAt = clock.now();
    },
    async recordSlow() {
      // If the list has arrived in the meantime, the server does not count as slow.
      if (origin === 'none') await cache.saveSlow(clock.now()).catch(() => undefined);
    },
    // `refresh` fetches one list at a time, so that the list requested last is the one that is used.
    forget: cache.forget,
    refresh: (session) => oneAtATime.use(() => fetchList(session)),
  };
}

type CachedList = ServerCapabilities & {
  savedAt: number;
  /** When the server was found to support only old protocol versions. */
  legacyAt?: number | undefined;
};

/** The cached tool list of a server, so that startup need not wait for it. */
interface ListCache {
  read(): Promise<CachedList | { slowAt: number } | undefined>;
  save(list: ServerCapabilities, now: number, legacyAt?: number): Promise<void>;
  /** Records that the server was too slow to wait for. */
  saveSlow(now: number): Promise<void>;
  forget(): Promise<void>;
}

export function createListCache(folder: string, name: string, settings: McpServerSettings): ListCache {
  const file = join(folder, `${digest(name)}.json`);
  const key = digest(cacheIdentity(settings));
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
      if (typeof savedAt !== 'number' || !Array.isArray(tools) || !tools.every(isListedTool)) return undefined;
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

/** All settings that can affect the list, which excludes timeouts. Only a digest of them is stored. */
function cacheIdentity(settings: McpServerSettings): string {
  const { idleSeconds: _, lifetimeSeconds: __, ...named } = settings;
  const decides = { ...named, timeoutSeconds: 0, connectTimeoutSeconds: 0, keepaliveSeconds: 0 };
  return canonicalJson(JSON.parse(JSON.stringify(decides)) as JsonValue);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

function isListedTool(tool: JsonValue): boolean {
  return isJsonObject(tool) && typeof tool['original'] === 'string' && isJsonObject(tool['parameters']);
}
