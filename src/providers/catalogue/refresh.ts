import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, isJsonObject, parseJson } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { Logger } from '../../contracts/index.ts';
import type { NetworkVariables } from '../../llm/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../util/index.ts';
import { readEndpointModels } from './endpoint-models.ts';
import type { CatalogueEntry } from './entry-line.ts';
import { readModelsDev } from './models-dev.ts';
import { formatProviderFile } from './provider-file.ts';
import { fetchedFile, readCatalogue, readCompleteFile } from './catalogue-files.ts';

export type RefreshOptions = {
  home: string;
  /** The URL of the public catalogue, if not the default. */
  url?: string;
  /** The current provider, whose own public list may have more details. */
  own?: { provider: string; baseUrl: string };
  now: number;
  signal?: AbortSignal;
  /** The environment variables for proxies and certificates. */
  variables?: NetworkVariables;
  logger: Logger;
};

export type RefreshOutcome = 'not-due' | 'unchanged' | 'updated' | 'failed';

const SOURCE = 'models.dev';
const CATALOGUE_URL = 'https://models.dev/api.json';
/** Size limit for the catalogue, about five times its current size. */
const MAX_CATALOGUE_SIZE = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Providers with a public model list that includes prices and abilities. */
const PUBLIC_LISTS: readonly string[] = ['openrouter', 'ai-gateway'];

/** Refreshes the catalogue in the home directory if it is due. It never throws, because the catalogue is optional. */
export async function refreshCatalogue(options: RefreshOptions): Promise<RefreshOutcome> {
  const { home, now, logger } = options;
  try {
    await ensurePrivateFolder(homePaths(home).catalogueFolder);
    const claim = await claimRefresh(home, now);
    if (claim === undefined) return 'not-due';
    try {
      const outcome = await fetchAll(options, claim);
      logger.info('model catalogue refreshed', { outcome });
      return outcome;
    } finally {
      await claim.release();
    }
  } catch (thrown) {
    logger.warn('could not refresh the model catalogue', { error: errorMessage(thrown) });
    return 'failed';
  }
}

async function fetchAll(options: RefreshOptions, claim: RefreshClaim): Promise<RefreshOutcome> {
  const version = new Date(options.now).toISOString().slice(0, 10);
  const fetched = await fetchCatalogue(options, claim.state, version);
  const own = await fetchOwnList(options, version);
  const providers = fetched.providers ?? new Map<string, CatalogueEntry[]>();
  if (own !== undefined) {
    const others =
      providers.get(own.provider) ?? readCompleteFile(fetchedFile(options.home, own.provider))?.entries() ?? [];
    const listed = new Set(own.entries.map(({ id }) => id));
    providers.set(own.provider, [...own.entries, ...others.filter(({ id }) => !listed.has(id))]);
  }
  for (const [provider, entries] of providers) await writeProvider(options, provider, entries, version);
  if (fetched.state !== undefined) await claim.save(fetched.state);
  if (providers.size > 0) return 'updated';
  return fetched.state === undefined ? 'failed' : 'unchanged';
}

type Fetched = { providers?: Map<string, CatalogueEntry[]>; state?: RefreshState };

async function fetchCatalogue(options: RefreshOptions, state: RefreshState, version: string): Promise<Fetched> {
  const { getText } = await import('../../llm/index.ts');
  const url = options.url ?? CATALOGUE_URL;
  // The ETag is valid only for the same URL and if the files are intact.
  const etag = state.url === url && isWhole(options.home, state.providers) ? state.etag : undefined;
  const answer = await getText({
    url,
    headers: { 'accept-encoding': 'gzip', ...(etag === undefined ? {} : { 'if-none-match': etag }) },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_CATALOGUE_SIZE,
    signal: options.signal,
    variables: options.variables,
  });
  if (answer?.status === 304 && etag !== undefined) return { state };
  if (answer?.status !== 200) return {};
  const providers = readModelsDev(answer.text, { source: hostOf(url), version });
  if (providers.size === 0) return {};
  return { providers, state: { url, etag: answer.header('etag'), providers: [...providers.keys()] } };
}

async function fetchOwnList(
  { own, signal, variables }: RefreshOptions,
  version: string,
): Promise<{ provider: string; entries: CatalogueEntry[] } | undefined> {
  if (own === undefined || !PUBLIC_LISTS.includes(own.provider)) return undefined;
  const { getText } = await import('../../llm/index.ts');
  const url = `${own.baseUrl.replace(/\/+$/, '')}/models`;
  const headers = { 'accept-encoding': 'gzip' };
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_CATALOGUE_SIZE, signal };
  const answer = await getText({ url, headers, variables, ...limits });
  const list = answer?.status === 200 ? parseJson(answer.text) : undefined;
  if (!isJsonObject(list) || !Array.isArray(list['data'])) return undefined;
  const entries = readEndpointModels(list['data'].filter(isJsonObject), { source: hostOf(url), version });
  return entries.length === 0 ? undefined : { provider: own.provider, entries };
}

async function writeProvider(
  { home }: RefreshOptions,
  provider: string,
  entries: readonly CatalogueEntry[],
  version: string,
): Promise<void> {
  const subscription = readCatalogue(provider, undefined).some((file) => file.subscription);
  const lines = subscription ? entries.map(withoutPrice) : entries;
  // One section per source, so that every price keeps its source.
  const sections = Map.groupBy(
    lines,
    ({ facts: { price } }) => `${price?.source ?? SOURCE}\t${price?.version ?? version}`,
  );
  const text = formatProviderFile(
    [...sections].map(([key, part]) => {
      const [source = SOURCE, said = version] = key.split('\t');
      return { origin: { source, version: said, subscription }, entries: part };
    }),
  );
  await writeFileAtomic(fetchedFile(home, provider), text, { mode: 0o600 });
}

function withoutPrice({ facts: { price: _, ...facts }, ...entry }: CatalogueEntry): CatalogueEntry {
  return { ...entry, facts };
}

function isWhole(home: string, providers: readonly string[]): boolean {
  return (
    providers.length > 0 && providers.every((provider) => readCompleteFile(fetchedFile(home, provider)) !== undefined)
  );
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** The result of the last refresh. */
type RefreshState = { url?: string; etag?: string; providers: readonly string[] };

/** The right to refresh: one process at a time, once per interval. */
type RefreshClaim = {
  state: RefreshState;
  save(state: RefreshState): Promise<void>;
  release(): Promise<void>;
};

const INTERVAL_MS = 4 * 60 * 60 * 1000;
/** The age of a stale lock: a process that holds the lock longer than this has crashed. */
const STALE_LOCK_MS = 10 * 60 * 1000;

/** Undefined if no refresh is due or another process is refreshing. */
async function claimRefresh(home: string, now: number): Promise<RefreshClaim | undefined> {
  const folder = homePaths(home).catalogueFolder;
  const [file, lock] = [join(folder, 'refresh.json'), join(folder, 'refresh.lock')];
  if (!isDue((await readState(file)).checkedAt, now) || !(await takeLock(lock, now))) return undefined;
  // Another process may have finished a refresh between the check and the lock.
  const { checkedAt, ...state } = await readState(file);
  const release = () => rm(lock, { force: true });
  if (!isDue(checkedAt, now)) {
    await release();
    return undefined;
  }
  const save = (next: RefreshState) => writeState(file, { ...next, checkedAt: now });
  // Saved before the first request, so that a failed or aborted refresh is not repeated immediately.
  await save(state);
  return { state, save, release };
}

/** A time in the future means that the clock was set back, and is ignored. */
function isDue(checkedAt: number, now: number): boolean {
  return checkedAt > now || now - checkedAt >= INTERVAL_MS;
}

async function takeLock(lock: string, now: number): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch {
    const held = await stat(lock).catch(() => undefined);
    // A stale lock is only removed here and acquired by a later run: otherwise two processes could both acquire it.
    if (held !== undefined && Math.abs(now - held.mtimeMs) > STALE_LOCK_MS) await rm(lock, { force: true });
    return false;
  }
}

type Stored = RefreshState & { checkedAt: number };

async function readState(file: string): Promise<Stored> {
  const stored = parseJson(await readFile(file, 'utf8').catch(() => ''));
  if (!isJsonObject(stored)) return { checkedAt: 0, providers: [] };
  const { checkedAt, url, etag, providers } = stored;
  return {
    checkedAt: typeof checkedAt === 'number' ? checkedAt : 0,
    providers: Array.isArray(providers) ? providers.filter((name) => typeof name === 'string') : [],
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof etag === 'string' ? { etag } : {}),
  };
}

function writeState(file: string, state: Stored): Promise<void> {
  return writeFileAtomic(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}
