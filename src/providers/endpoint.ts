import { ConfigurationError } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { ApiMode, Credential } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';
import { knownContextLength } from './context-length.ts';
import { findCredential } from './find-credential.ts';
import { findProvider, type KnownProvider, providerAt } from './find-provider.ts';
import { isLocalEndpoint } from './local-endpoint.ts';

/** All that is needed to talk to one model. */
export type Endpoint = {
  provider: string;
  model: string;
  baseUrl: string;
  /** What the person wrote, and what the provider's row says; the client decides where both are silent. */
  explicitApiMode: ApiMode | undefined;
  providerApiMode: ApiMode | undefined;
  quirks: ModelQuirks | undefined;
  credential: Credential | undefined;
  /** The window that the person wrote down, and the one that is assumed where nobody knows better. */
  givenContextLength: number | undefined;
  contextLength: number | undefined;
  stallTimeoutMs: number;
  /** The environment: which proxy and which certificates are used. */
  variables: Settings['variables'];
};

const STALL_TIMEOUT_MS = 180_000;
/** A model on one's own machine may read a long prompt for minutes before its first word. */
const LOCAL_STALL_TIMEOUT_MS = 900_000;

/** Turns a choice into an endpoint; throws a `ConfigurationError` that says what is missing. */
export function toEndpoint(settings: Settings, choice: ModelChoice & { provider: string }): Endpoint {
  const provider = findProvider(settings, choice.provider, choice.providerPlace);
  const baseUrl = (choice.baseUrl ?? provider.baseUrl)?.replace(/\/+$/, '');
  if (baseUrl === undefined) throw missingAddress(choice.provider);
  checkAddress(baseUrl);
  const model = choice.model ?? provider.defaultModel;
  if (model === undefined) throw missingModel(provider);
  const givenContextLength = choice.contextLength ?? provider.contextLength;
  return {
    provider: provider.id,
    model,
    baseUrl,
    explicitApiMode: choice.apiMode,
    // Another address than the provider's own need not speak its wire format.
    providerApiMode: choice.baseUrl === undefined ? provider.apiMode : undefined,
    quirks: choice.baseUrl === undefined ? provider.quirks : providerAt(baseUrl)?.quirks,
    credential: findCredential(settings, provider, choice, baseUrl),
    givenContextLength,
    contextLength: givenContextLength ?? knownContextLength(model),
    stallTimeoutMs: stallTimeout(settings, baseUrl),
    variables: settings.variables,
  };
}

function stallTimeout(settings: Settings, baseUrl: string): number {
  if (settings.streamStaleTimeoutSeconds !== undefined) return settings.streamStaleTimeoutSeconds * 1000;
  return isLocalEndpoint(baseUrl) ? LOCAL_STALL_TIMEOUT_MS : STALL_TIMEOUT_MS;
}

function missingAddress(provider: string): ConfigurationError {
  return new ConfigurationError(`The provider "${provider}" has no address.`, {
    hint: 'Set model.base_url in config.yaml, or run `hermes setup`.',
  });
}

/** What came from config.yaml was checked there, but not what a variable holds. */
function checkAddress(baseUrl: string): void {
  const url = URL.parse(baseUrl);
  // Whatever stands before an @ may be a password, and an error message is no place for one.
  const shown = baseUrl.replace(/[^/\s]*@/, '…@');
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(`The address "${shown}" is not an http or https URL.`, {
      hint: 'Correct base_url in config.yaml or OPENAI_BASE_URL in the environment, or run `hermes setup`.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError(`The address "${shown}" has a user name or password in it, which would be stored.`, {
      hint: 'Put the key into api_key beside base_url in config.yaml, or into OPENAI_API_KEY.',
    });
  }
}

function missingModel(provider: KnownProvider): ConfigurationError {
  return new ConfigurationError(`No model is chosen for ${provider.name}.`, {
    hint: 'Give one with --model, set model.default in config.yaml, or run `hermes setup`.',
  });
}
