import { ConfigurationError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import { nearestNames } from '../util/index.ts';
import type { ProviderRow } from './provider-row.ts';
import { PROVIDERS } from './provider-table.ts';

/** A provider as it is used: a row of the table, or an endpoint the person named. */
export type KnownProvider = ProviderRow & {
  /** The person chose the host, so the person's general key may go there. */
  ownHost: boolean;
  apiKey?: string;
  /** Where that key, the address and the model of a named endpoint are written. */
  apiKeyPlace?: string;
  baseUrlPlace?: string;
  modelPlace?: string;
  /** The variable the person named for this very endpoint. */
  ownKeyVariable?: string;
  contextLength?: number;
};

type NamedProviders = Pick<Settings, 'customProviders'>;

const NEAR_NAMES = 3;
/** All of them would fill the screen. */
const USUAL = ['openrouter', 'anthropic', 'openai', 'gemini', 'ollama'];

/** The provider of this name; `place` is where it was written, so that it can be found and corrected. */
export function findProvider(settings: NamedProviders, name: string, place?: string): KnownProvider {
  const found = lookUpProvider(settings, name);
  if (found) return found;
  const where = place === undefined ? 'There' : `${place}: there`;
  throw new ConfigurationError(`${where} is no provider "${name}".`, { hint: hintFor(settings, name) });
}

function hintFor(settings: NamedProviders, name: string): string {
  const named = settings.customProviders.map((provider) => provider.name);
  const ids = PROVIDERS.map((row) => row.id);
  const near = nearestNames(name, [...named, ...ids, ...PROVIDERS.flatMap((row) => row.aliases ?? [])], NEAR_NAMES);
  const choices =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : `There are ${[...named, ...USUAL].join(', ')} and more: \`hermes setup\` shows all.`;
  return `${choices} An endpoint of your own is named under custom_providers in config.yaml.`;
}

export function lookUpProvider(settings: NamedProviders, name: string): KnownProvider | undefined {
  return findNamed(settings, name) ?? findRow(name);
}

/** The provider whose own host this address has, so that its key is found where only the address was saved. */
export function providerAt(baseUrl: string): KnownProvider | undefined {
  const host = comparableHost(baseUrl);
  if (host === undefined) return undefined;
  // Looking at the text first: reading dozens of addresses as URLs would cost every start a millisecond.
  const there = PROVIDERS.filter((row) => row.baseUrl?.startsWith(host) && comparableHost(row.baseUrl) === host);
  // Several share a host: the one with the longest path that leads to the address is meant, else the first.
  const inside = there.filter((row) => isInside(baseUrl, row.baseUrl as string));
  const best = inside.reduce<ProviderRow | undefined>(
    (longest, row) => ((row.baseUrl as string).length > (longest?.baseUrl?.length ?? 0) ? row : longest),
    undefined,
  );
  const row = best ?? there[0];
  return row === undefined ? undefined : { ...row, ownHost: row.id === 'openai' };
}

/** Host and port as credentials name them. */
export function hostOf(baseUrl: string): string | undefined {
  return URL.parse(baseUrl)?.host;
}

/** Two ways to write the same address of an endpoint. */
export function isSameAddress(a: string, b: string): boolean {
  return comparableHost(a) === comparableHost(b) && pathOf(a) === pathOf(b);
}

/** `localhost` and 127.0.0.1 are the same server for all we want to know of it. */
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

/** `custom:NAME` is how existing files refer to a named endpoint. */
function findNamed(settings: NamedProviders, name: string): KnownProvider | undefined {
  const wanted = name.replace(/^custom:/i, '').toLowerCase();
  const provider = settings.customProviders.find((candidate) => candidate.name.toLowerCase() === wanted);
  if (provider === undefined) return undefined;
  return {
    id: provider.name,
    name: provider.name,
    baseUrl: provider.baseUrl,
    baseUrlPlace: provider.baseUrlPlace,
    apiMode: provider.apiMode,
    authType: 'api_key',
    keyVariables: ['OPENAI_API_KEY'],
    ownKeyVariable: provider.keyVariable,
    defaultModel: provider.model,
    modelPlace: provider.modelPlace,
    apiKey: provider.apiKey,
    apiKeyPlace: provider.apiKeyPlace,
    contextLength: provider.contextLength,
    ownHost: true,
  };
}

function findRow(name: string): KnownProvider | undefined {
  const wanted = name.toLowerCase();
  const row =
    PROVIDERS.find((candidate) => candidate.id === wanted) ??
    PROVIDERS.find((candidate) => candidate.aliases?.includes(wanted));
  return row === undefined ? undefined : { ...row, ownHost: row.id === 'custom' || row.id === 'openai' };
}
