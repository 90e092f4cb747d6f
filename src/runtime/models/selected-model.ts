import { ConfigurationError } from '../../base/index.ts';
import type { ModelChoice, Settings } from '../../config/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import { choosePrimary, findProvider, isSameUrl, type KnownProvider, lookUpProvider } from '../../providers/index.ts';
import { type ParsedBaseUrl, parseBaseUrl } from './parse-base-url.ts';

/** What the user asked for. */
export type RequestedModel = {
  provider: string;
  /** Defaults to the provider's default model. */
  model?: string;
  baseUrl?: string;
  apiMode?: ApiMode;
  /** An environment variable that already contains the key. */
  keyVariable?: string;
  /** A key that the user typed; it is saved in `.env`, never in `config.yaml`. */
  key?: TypedKey;
};

export type TypedKey = { variable: string; secret: string };

/** A resolved model that can be used or saved. */
export type SelectedModel = {
  requested: RequestedModel;
  provider: KnownProvider;
  model: string;
  /** In the form of `config.yaml`. */
  choice: ModelChoice;
  key?: TypedKey;
  keyVariable?: string;
  /** Whether the saved address and the saved key are used and stay unchanged in the file. */
  keepsAddress: boolean;
  keepsKey: boolean;
  warnings: string[];
};

/** Resolves a requested model without network requests. Throws a `ConfigurationError` if that is not possible. */
export function selectModel(settings: Settings, wish: RequestedModel): SelectedModel {
  const provider = findProvider(settings, wish.provider);
  const saved = savedFor(settings, provider);
  const { baseUrl, warning, apiMode } = addressFor(settings, provider, wish.baseUrl);
  const model = wish.model?.trim() || provider.defaultModel;
  if (!model)
    throw new ConfigurationError(`${provider.name} has no default model, so a model name is required.`, {
      hint: `Pass one, for example: hermes model set ${provider.id} MODEL`,
    });
  assertOneWord(model);
  const keepsAddress = saved !== undefined && (baseUrl === undefined || isSame(baseUrl, saved.baseUrl, provider));
  const keepsKey = keepsAddress && wish.key === undefined && wish.keyVariable === undefined;
  return {
    requested: wish,
    provider,
    model,
    choice: {
      provider: provider.id,
      providerLocation: 'the choice',
      model,
      baseUrl: keepsAddress ? saved?.baseUrl : ownAddress(provider, baseUrl),
      apiKey: keepsKey ? saved?.apiKey : namedKey(settings, provider, wish),
      apiKeyLocation: keepsKey ? saved?.apiKeyLocation : wish.keyVariable,
      apiMode: wish.apiMode ?? apiMode ?? (keepsAddress ? saved?.apiMode : undefined),
      request: keepsAddress ? saved?.request : undefined,
      // A configured context length belongs to the configured model only.
      contextLength: keepsAddress && saved?.model === model ? saved.contextLength : undefined,
    },
    key: wish.key,
    keyVariable: wish.keyVariable,
    keepsAddress,
    keepsKey,
    warnings: [warning, unsetKey(settings, wish)].filter((text) => text !== undefined),
  };
}

/** The settings as they will be after saving, so that the choice can be tested first. */
export function settingsWith(settings: Settings, { choice, key }: SelectedModel): Settings {
  const variables = key === undefined ? settings.variables : { ...settings.variables, [key.variable]: key.secret };
  return { ...settings, model: choice, variables };
}

/** The saved configuration, if it is for this provider. */
function savedFor(settings: Settings, provider: KnownProvider): ModelChoice | undefined {
  const primary = choosePrimary(settings, {});
  if (primary?.origin !== 'config' || lookUpProvider(settings, primary.provider)?.id !== provider.id) return undefined;
  return settings.model;
}

function isSame(baseUrl: string, saved: string | undefined, provider: KnownProvider): boolean {
  return isSameUrl(baseUrl, saved ?? provider.baseUrl ?? '');
}

/** The provider's own address is not written to the configuration. */
function ownAddress(provider: KnownProvider, baseUrl: string | undefined): string | undefined {
  return baseUrl !== undefined && isSameUrl(baseUrl, provider.baseUrl ?? '') ? undefined : baseUrl;
}

/**
 * The key, if it comes from a variable other than the provider's own. The provider's own variables are always
 * checked.
 */
function namedKey(
  settings: Settings,
  provider: KnownProvider,
  { key, keyVariable }: RequestedModel,
): string | undefined {
  const variable = keyVariable ?? key?.variable;
  if (variable === undefined || provider.keyVariables.includes(variable)) return undefined;
  return key?.secret ?? (settings.variables[variable] || undefined);
}

function unsetKey(settings: Settings, { keyVariable }: RequestedModel): string | undefined {
  if (keyVariable === undefined || settings.variables[keyVariable]) return undefined;
  return `The environment variable ${keyVariable} with the API key is not set. Set it before you start Hermes.`;
}

function addressFor(settings: Settings, provider: KnownProvider, typed: string | undefined): Partial<ParsedBaseUrl> {
  if (typed !== undefined) {
    const read = parseBaseUrl(typed);
    if (!('problem' in read)) return read;
    throw new ConfigurationError(`The base URL${shownUrl(typed)} is invalid: it must be ${read.problem}.`, {
      hint: read.hint,
    });
  }
  const saved = savedFor(settings, provider);
  const exported = settings.variables['OPENAI_BASE_URL'];
  if (provider.baseUrl ?? saved?.baseUrl) return {};
  // If the endpoint is saved without an address, the address is meant to come from the environment variable.
  if (exported) return saved === undefined ? addressFor(settings, provider, exported) : {};
  throw new ConfigurationError(`The provider "${provider.id}" requires a base URL.`, {
    hint: 'Add --base-url, for example --base-url http://127.0.0.1:8080/v1.',
  });
}

/** A URL with a user name or password is not repeated. */
function shownUrl(typed: string): string {
  return typed.includes('@') ? '' : ` "${typed.trim()}"`;
}

function assertOneWord(model: string): void {
  // oxlint-disable-next-line no-control-regex
  if (!/[\s\u0000-\u001f\u007f]/.test(model)) return;
  throw new ConfigurationError(`The model name ${JSON.stringify(model)} contains spaces or line breaks.`, {
    hint: "Copy the name again from the provider's model list.",
  });
}
