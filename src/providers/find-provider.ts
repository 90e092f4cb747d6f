import { ConfigurationError } from '../base/index.ts';
import type { ProviderSettings, RequestOptions, Settings } from '../config/index.ts';
import type { CachingMode } from '../contracts/index.ts';
import { joinWithOr, nearestNames } from '../util/index.ts';
import type { ProviderRow } from './provider-row.ts';
import { PROVIDERS } from './provider-table.ts';

/** A provider: a row of the table or a user-defined endpoint. */
export type KnownProvider = ProviderRow & {
  /** Whether the user chose the host, so that the general key may be sent there. */
  hasCustomHost: boolean;
  apiKey?: string;
  /** The config locations of the key, the base URL and the model of a named endpoint. */
  apiKeyLocation?: string;
  baseUrlLocation?: string;
  modelLocation?: string;
  /** The key variable that the user configured for this endpoint. */
  ownKeyVariable?: string;
  contextLength?: number;
  /** Headers, query parameters and body fields of a named endpoint. */
  request?: RequestOptions;
  cachingMode?: CachingMode;
};

type NamedProviders = Pick<Settings, 'customProviders'>;

const MAX_SUGGESTIONS = 3;
/** Listing all providers would fill the screen. */
const COMMON_PROVIDERS = ['openrouter', 'anthropic', 'openai', 'gemini', 'ollama'];

/** Finds a provider by name; `place` is the config location for the error message. */
export function findProvider(settings: NamedProviders, name: string, location?: string): KnownProvider {
  const found = lookUpProvider(settings, name);
  if (found) return found;
  const where = location === undefined ? '' : `${location}: `;
  throw new ConfigurationError(`${where}"${name}" is not a known provider.`, { hint: hintFor(settings, name) });
}

function hintFor(settings: NamedProviders, name: string): string {
  const named = settings.customProviders.map((provider) => provider.name);
  const ids = PROVIDERS.map((row) => row.id);
  if (name === 'demo') return 'The demo is available only in a chat: start it with `hermes --provider demo`.';
  const aliases = PROVIDERS.flatMap((row) => row.aliases ?? []);
  // An alias is suggested by the id of its provider.
  const near = nearestNames(name, [...named, ...ids, ...aliases], MAX_SUGGESTIONS).map(
    (one) => findRow(one)?.id ?? one,
  );
  const choices =
    near.length > 0
      ? `Did you mean ${joinWithOr([...new Set(near)])}?`
      : `Known providers include ${[...named, ...COMMON_PROVIDERS].join(', ')}. Run \`hermes setup\` to see all.`;
  return `${choices} To use your own endpoint, define it under custom_providers in config.yaml.`;
}

export function lookUpProvider(settings: NamedProviders, name: string): KnownProvider | undefined {
  return findNamed(settings, name) ?? findRow(name);
}

/** The entry of `providers` for a provider, under any of its names. */
export function settingsOf(settings: Settings, { id }: KnownProvider): ProviderSettings | undefined {
  const { providers = {} } = settings;
  const name = Object.keys(providers).find((one) => lookUpProvider(settings, one)?.id === id);
  return name === undefined ? undefined : providers[name];
}

/** The provider with this host, so that its key is found if only the base URL is configured. */
export function providerAt(baseUrl: string): KnownProvider | undefined {
  const host = comparableHost(baseUrl);
  if (host === undefined) return undefined;
  // Compares the text first: parsing dozens of URLs would cost a millisecond at every start.
  const there = PROVIDERS.filter((row) => row.baseUrl?.startsWith(host) && comparableHost(row.baseUrl) === host);
  // If several providers share a host, the longest matching path wins, else the first.
  const inside = there.filter((row) => isInside(baseUrl, row.baseUrl as string));
  const best = inside.reduce<ProviderRow | undefined>(
    (longest, row) => ((row.baseUrl as string).length > (longest?.baseUrl?.length ?? 0) ? row : longest),
    undefined,
  );
  const row = best ?? there[0] ?? cloudAt(baseUrl);
  return row === undefined ? undefined : { ...row, hasCustomHost: row.id === 'openai' };
}

/** The cloud service with this host. */
function cloudAt(baseUrl: string): ProviderRow | undefined {
  const url = URL.parse(baseUrl);
  return PROVIDERS.find(({ cloud }) => url?.protocol === 'https:' && cloud?.hosts.test(url.host));
}

/** Host and port, in the form used by credentials. */
export function hostOf(baseUrl: string): string | undefined {
  return URL.parse(baseUrl)?.host;
}

/** Whether an address is at the host of a provider. */
export function isHostOf({ baseUrl: own, id, cloud }: KnownProvider, baseUrl: string): boolean {
  if (own !== undefined && hostOf(own) === hostOf(baseUrl)) return true;
  return cloud !== undefined && cloudAt(baseUrl)?.id === id;
}

/** Whether two URLs are the same endpoint. */
export function isSameUrl(a: string, b: string): boolean {
  return comparableHost(a) === comparableHost(b) && pathOf(a) === pathOf(b);
}

/** `localhost` and 127.0.0.1 are treated as the same server. */
function comparableHost(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (url === null || url.host === '') return undefined;
  return `${url.protocol}//${url.host.replace(/^localhost(?=:|$)/, '127.0.0.1')}`;
}

function pathOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.pathname.replace(/\/+$/, '') ?? '';
}

function isInside(baseUrl: string, outer: string): boolean {
  return `${pathOf(baseUrl)}/`.startsWith(`${pathOf(outer)}/`);
}

/** Existing files refer to a named endpoint as `custom:NAME`. */
function findNamed(settings: NamedProviders, name: string): KnownProvider | undefined {
  const wanted = name.replace(/^custom:/i, '').toLowerCase();
  const provider = settings.customProviders.find((candidate) => candidate.name.toLowerCase() === wanted);
  if (provider === undefined) return undefined;
  return {
    id: provider.name,
    name: provider.name,
    baseUrl: provider.baseUrl,
    baseUrlLocation: provider.baseUrlLocation,
    apiMode: provider.apiMode,
    authType: 'api_key',
    keyVariables: ['OPENAI_API_KEY'],
    ownKeyVariable: provider.keyVariable,
    defaultModel: provider.model,
    modelLocation: provider.modelLocation,
    apiKey: provider.apiKey,
    apiKeyLocation: provider.apiKeyLocation,
    contextLength: provider.contextLength,
    request: provider.request,
    cachingMode: provider.cachingMode,
    hasCustomHost: true,
  };
}

function findRow(name: string): KnownProvider | undefined {
  const wanted = name.toLowerCase();
  const row =
    PROVIDERS.find((candidate) => candidate.id === wanted) ??
    PROVIDERS.find((candidate) => candidate.aliases?.includes(wanted));
  return row === undefined ? undefined : { ...row, hasCustomHost: row.id === 'custom' || row.id === 'openai' };
}
