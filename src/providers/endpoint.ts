import { ConfigurationError, type JsonObject } from '../base/index.ts';
import {
  homePaths,
  type ModelChoice,
  type ProviderSettings,
  type RequestOptions,
  type Settings,
} from '../config/index.ts';
import type { ApiMode, BoundOptions, CacheTtlSetting, CachingMode } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';
import type { FactsSource } from './catalogue/index.ts';
import { type ChosenCommand, chooseCommand } from './choose-command.ts';
import type { FoundCredential } from './credentials/plan-credentials.ts';
import { factsSourceOf } from './facts-source.ts';
import { findBaseUrl, type FoundBaseUrl, isLocalEndpoint } from './find-base-url.ts';
import { findCredential } from './find-credential.ts';
import {
  findProvider,
  hostOf,
  isHostOf,
  isSameUrl,
  type KnownProvider,
  providerAt,
  settingsOf,
} from './find-provider.ts';
import type { CloudService, ModelListing, ModelRule } from './provider-row.ts';

/** Everything that is needed to call one model. */
export type Endpoint = {
  provider: string;
  model: string;
  baseUrl: string;
  /** The API mode from the configuration and from the provider row; without either, it is derived from the URL. */
  explicitApiMode: ApiMode | undefined;
  providerApiMode: ApiMode | undefined;
  quirks: ModelQuirks | undefined;
  headers?: Readonly<Record<string, string>>;
  /** Headers, query parameters and body fields of the user. */
  bound?: BoundOptions;
  extraBody?: readonly JsonObject[];
  modelListing?: ModelListing;
  /** Set if the endpoint is in a cloud, whose address and login are found when the route is opened. */
  cloud?: CloudEndpoint;
  /** Set if the model is a command instead of a host. */
  command?: ChosenCommand;
  credential: FoundCredential | undefined;
  /** The context window, only if the user configured it. */
  contextLength: number | undefined;
  /** Where other facts about the model come from. */
  facts?: FactsSource;
  /** The lifetime of cache entries, for providers that accept cache markers, and whether requests get markers. */
  cacheTtl?: CacheTtlSetting;
  cachingMode?: CachingMode;
  stallTimeoutMs: number;
  /** The environment variables for proxies and certificates. */
  variables: Settings['variables'];
  /** Problems that do not prevent the use of the endpoint. */
  warnings?: readonly string[];
};

export type CloudEndpoint = CloudService & {
  /** The display name of the provider. */
  name: string;
  /** Whether the host has yet to be found, because no address is configured. */
  isOwn: boolean;
  settings: ProviderSettings;
};

const STALL_TIMEOUT_MS = 180_000;
/** Longer, because a local model may process a long prompt for minutes before its first token. */
const LOCAL_STALL_TIMEOUT_MS = 900_000;

/** Resolves a choice to an endpoint; throws a `ConfigurationError` that says what is missing. */
export function toEndpoint(settings: Settings, choice: ModelChoice & { provider: string }): Endpoint {
  const provider = findProvider(settings, choice.provider, choice.providerLocation);
  const address = findBaseUrl(settings, provider, choice);
  const model = choice.model ?? provider.defaultModel;
  if (model === undefined) throw missingModel(provider);
  const added = requestOptions(settings, provider, choice, address.baseUrl);
  const facts = factsSourceOf(settings, provider, choice, { model, baseUrl: address.baseUrl });
  return {
    provider: provider.id,
    model,
    baseUrl: address.baseUrl,
    explicitApiMode: choice.apiMode,
    ...servingOptions(provider, address, model),
    cloud: cloudOf(settings, provider, choice, address),
    command: provider.command && chooseCommand(settings, provider.command),
    bound: added?.bound,
    extraBody: added?.extraBody,
    credential: findCredential(settings, provider, choice, address.baseUrl),
    contextLength: facts.configured.contextLength,
    facts,
    cacheTtl: settings.cacheTtl,
    cachingMode: cachingModeOf(settings, provider),
    stallTimeoutMs: stallTimeout(settings, address.baseUrl),
    variables: settings.variables,
    warnings: [...address.warnings, ...(added?.warnings ?? [])],
  };
}

function cachingModeOf(settings: Settings, provider: KnownProvider): CachingMode | undefined {
  return provider.cachingMode ?? settingsOf(settings, provider)?.cachingMode ?? settings.cachingMode;
}

function cloudOf(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  { baseUrl, isOwn }: FoundBaseUrl,
): CloudEndpoint | undefined {
  const row = isOwn && !provider.hasCustomHost ? provider : providerAt(baseUrl);
  if (row?.cloud === undefined) return undefined;
  const hasNoAddress = choice.baseUrl === undefined && row === provider;
  return { ...row.cloud, name: row.name, isOwn: hasNoAddress, settings: settingsOf(settings, row) ?? {} };
}

type AddedOptions = { bound: BoundOptions; extraBody: JsonObject[]; warnings: string[] };

/** What the user adds to the requests to an address: for the provider, if it is the provider's host, and for this choice. */
function requestOptions(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): AddedOptions | undefined {
  const named = settingsOf(settings, provider)?.request;
  const own = [provider.request, named].filter((one) => one !== undefined);
  const host = hostOf(baseUrl) ?? '';
  const isAtHome = isHostOf(provider, baseUrl);
  const parts = [...(isAtHome ? own : []), choice.request].filter((one) => one !== undefined);
  const warnings = isAtHome ? [] : own.map(({ location }) => describeForeignHost(location, provider, host));
  if (parts.length + warnings.length === 0) return undefined;
  const problem = parts.find((part) => part.problem !== undefined)?.problem;
  if (problem !== undefined) {
    throw new ConfigurationError(problem, {
      hint: `Set it in ${homePaths(settings.home).envFile}, or correct the key.`,
    });
  }
  return { ...mergeOptions(parts, host), warnings };
}

function mergeOptions(parts: readonly RequestOptions[], host: string): Omit<AddedOptions, 'warnings'> {
  const all = (key: 'headers' | 'query') =>
    Object.assign({}, ...parts.map((part) => part[key])) as Record<string, string>;
  const secrets = parts.flatMap((part) => part.secrets);
  return {
    bound: { hosts: [host], headers: all('headers'), query: all('query'), secrets },
    extraBody: parts.flatMap(({ extraBody }) => (extraBody === undefined ? [] : [extraBody])),
  };
}

function describeForeignHost(location: string, provider: KnownProvider, host: string): string {
  return `${location} is not used for ${host}, which is not a host of ${provider.name}. Put it next to base_url.`;
}

type ServingOptions = Pick<Endpoint, 'providerApiMode' | 'quirks' | 'headers' | 'modelListing'>;

/** The settings for a model at an address, from the provider row of that address and its model rules. */
function servingOptions(provider: KnownProvider, address: FoundBaseUrl, model: string): ServingOptions {
  const { baseUrl, isOwn } = address;
  const isMoved = !isOwn && isLocalServerType(provider, baseUrl);
  // A user-defined endpoint may be at the address of a row.
  const row = (isOwn || isMoved) && !provider.hasCustomHost ? provider : providerAt(baseUrl);
  const name = model.toLowerCase();
  const rule = row?.modelRules?.find(({ models }) => models.some((beginning) => name.startsWith(beginning)));
  // The API mode of the row applies only to its own URL: a different path on the same host may use a different one.
  const isRows = row?.baseUrl !== undefined && (row.cloud !== undefined || isSameUrl(row.baseUrl, baseUrl));
  const named = isOwn && provider.hasCustomHost ? provider.apiMode : undefined;
  const moved = isMoved ? (address.apiMode ?? provider.apiMode) : undefined;
  return {
    providerApiMode: named ?? moved ?? (isRows ? (rule?.apiMode ?? row.apiMode) : undefined) ?? address.apiMode,
    quirks: quirksOf(row, rule),
    headers: row?.headers,
    modelListing: row?.modelListing,
  };
}

/** Local servers run models of their own: one that has Claude in its name is not Claude. */
function quirksOf(row: KnownProvider | undefined, rule: ModelRule | undefined): ModelQuirks | undefined {
  const own = row?.local ? { cacheMarkers: false as const } : undefined;
  if (own === undefined && rule?.quirks === undefined) return row?.quirks;
  return { ...own, ...row?.quirks, ...rule?.quirks };
}

/**
 * Whether a local server type is at this address. A custom address counts too, unless its host belongs to a provider
 * that is not local.
 */
function isLocalServerType({ local }: KnownProvider, baseUrl: string): boolean {
  const there = providerAt(baseUrl);
  return local === true && (there === undefined || there.local === true);
}

function stallTimeout(settings: Settings, baseUrl: string): number {
  if (settings.streamStaleTimeoutSeconds !== undefined) return settings.streamStaleTimeoutSeconds * 1000;
  return isLocalEndpoint(baseUrl) ? LOCAL_STALL_TIMEOUT_MS : STALL_TIMEOUT_MS;
}

function missingModel(provider: KnownProvider): ConfigurationError {
  return new ConfigurationError(`No model is selected for ${provider.name}.`, {
    hint: 'Pass --model, set model.default in config.yaml, or run `hermes setup`.',
  });
}
