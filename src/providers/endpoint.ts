import { ConfigurationError } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { ApiMode, CacheTtl } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';
import type { FactsSource } from './catalogue/index.ts';
import { type ChosenCommand, chooseCommand } from './choose-command.ts';
import type { FoundCredential } from './credentials/plan-credentials.ts';
import { factsSourceOf } from './facts-source.ts';
import { findAddress, type FoundAddress, isLocalEndpoint } from './find-address.ts';
import { findCredential } from './find-credential.ts';
import { findProvider, isSameAddress, type KnownProvider, providerAt } from './find-provider.ts';
import type { ModelListing } from './provider-row.ts';

/** All that is needed to talk to one model. */
export type Endpoint = {
  provider: string;
  model: string;
  baseUrl: string;
  /** What the person wrote, and what the provider's row says; the client decides where both are silent. */
  explicitApiMode: ApiMode | undefined;
  providerApiMode: ApiMode | undefined;
  quirks: ModelQuirks | undefined;
  headers?: Readonly<Record<string, string>>;
  modelListing?: ModelListing;
  /** Set where a program is talked to instead of a host. */
  command?: ChosenCommand;
  credential: FoundCredential | undefined;
  /** As far as a person wrote it down. */
  contextLength: number | undefined;
  /** Who knows more about the model. */
  facts?: FactsSource;
  /** How long a provider that takes cache marks is to keep what is marked. */
  cacheTtl?: CacheTtl;
  stallTimeoutMs: number;
  /** The environment: which proxy and which certificates are used. */
  variables: Settings['variables'];
  /** What the person should know, though it works. */
  warnings?: readonly string[];
};

const STALL_TIMEOUT_MS = 180_000;
/** A model on one's own machine may read a long prompt for minutes before its first word. */
const LOCAL_STALL_TIMEOUT_MS = 900_000;

/** Turns a choice into an endpoint; throws a `ConfigurationError` that says what is missing. */
export function toEndpoint(settings: Settings, choice: ModelChoice & { provider: string }): Endpoint {
  const provider = findProvider(settings, choice.provider, choice.providerPlace);
  const address = findAddress(settings, provider, choice);
  const model = choice.model ?? provider.defaultModel;
  if (model === undefined) throw missingModel(provider);
  const facts = factsSourceOf(settings, provider, choice, { model, baseUrl: address.baseUrl });
  return {
    provider: provider.id,
    model,
    baseUrl: address.baseUrl,
    explicitApiMode: choice.apiMode,
    ...waysOfServing(provider, address, model),
    command: provider.command && chooseCommand(settings, provider.command),
    credential: findCredential(settings, provider, choice, address.baseUrl),
    contextLength: facts.written.contextLength,
    facts,
    cacheTtl: settings.cacheTtl,
    stallTimeoutMs: stallTimeout(settings, address.baseUrl),
    variables: settings.variables,
    warnings: address.warnings,
  };
}

type WaysOfServing = Pick<Endpoint, 'providerApiMode' | 'quirks' | 'headers' | 'modelListing'>;

/** How a model is served at an address: as the row of that address says, with what is different for the model. */
function waysOfServing(provider: KnownProvider, address: FoundAddress, model: string): WaysOfServing {
  const { baseUrl, isOwn } = address;
  const isMoved = !isOwn && isOwnServer(provider, baseUrl);
  // An endpoint that the person named may stand at the address of a row.
  const row = (isOwn || isMoved) && !provider.ownHost ? provider : providerAt(baseUrl);
  const name = model.toLowerCase();
  const rule = row?.modelRules?.find(({ models }) => models.some((beginning) => name.startsWith(beginning)));
  // Another path on the same host need not speak the row's wire format.
  const isRows = row?.baseUrl !== undefined && isSameAddress(row.baseUrl, baseUrl);
  const named = isOwn && provider.ownHost ? provider.apiMode : undefined;
  const moved = isMoved ? (address.apiMode ?? provider.apiMode) : undefined;
  return {
    providerApiMode: named ?? moved ?? (isRows ? (rule?.apiMode ?? row.apiMode) : undefined) ?? address.apiMode,
    quirks: rule?.quirks === undefined ? row?.quirks : { ...row?.quirks, ...rule.quirks },
    headers: row?.headers,
    modelListing: row?.modelListing,
  };
}

/** Whoever names such a server and an address says what answers there, unless the host is known for something else. */
function isOwnServer({ local }: KnownProvider, baseUrl: string): boolean {
  const there = providerAt(baseUrl);
  return local === true && (there === undefined || there.local === true);
}

function stallTimeout(settings: Settings, baseUrl: string): number {
  if (settings.streamStaleTimeoutSeconds !== undefined) return settings.streamStaleTimeoutSeconds * 1000;
  return isLocalEndpoint(baseUrl) ? LOCAL_STALL_TIMEOUT_MS : STALL_TIMEOUT_MS;
}

function missingModel(provider: KnownProvider): ConfigurationError {
  return new ConfigurationError(`No model is chosen for ${provider.name}.`, {
    hint: 'Give one with --model, set model.default in config.yaml, or run `hermes setup`.',
  });
}
