import { ConfigurationError } from '../../base/index.ts';
import type { ModelChoice, Settings } from '../../config/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import {
  choosePrimary,
  findProvider,
  isSameAddress,
  type KnownProvider,
  lookUpProvider,
} from '../../providers/index.ts';
import { type ReadAddress, readTypedAddress } from './read-address.ts';

/** What a person wants, in their own words. */
export type ModelWish = {
  provider: string;
  /** The provider's usual one where none is named. */
  model?: string;
  baseUrl?: string;
  apiMode?: ApiMode;
  /** A variable that holds the key already. */
  keyVariable?: string;
  /** A key that was typed in; it is saved beside the configuration, never in it. */
  key?: TypedKey;
};

export type TypedKey = { variable: string; secret: string };

/** A model that can be used, saved, or both. */
export type ChosenModel = {
  provider: KnownProvider;
  model: string;
  /** As config.yaml would have it. */
  choice: ModelChoice;
  key?: TypedKey;
  keyVariable?: string;
  /** Address and key are those that are saved already, and stay as they are written. */
  keepsAddress: boolean;
  keepsKey: boolean;
  warnings: string[];
};

/** Finds out what a wish means; throws a `ConfigurationError` that says what is wrong with it. Nobody is asked. */
export function chooseModel(settings: Settings, wish: ModelWish): ChosenModel {
  const provider = findProvider(settings, wish.provider);
  const saved = savedFor(settings, provider);
  const { baseUrl, warning, apiMode } = addressFor(settings, provider, wish.baseUrl);
  const model = wish.model?.trim() || provider.defaultModel;
  if (!model) throw new ConfigurationError(`Which model of ${provider.name}?`, { hint: 'Name it as well.' });
  assertOneWord(model);
  const keepsAddress = saved !== undefined && (baseUrl === undefined || isSame(baseUrl, saved.baseUrl, provider));
  const keepsKey = keepsAddress && wish.key === undefined && wish.keyVariable === undefined;
  return {
    provider,
    model,
    choice: {
      provider: provider.id,
      providerPlace: 'the choice',
      model,
      baseUrl: keepsAddress ? saved?.baseUrl : ownAddress(provider, baseUrl),
      apiKey: keepsKey ? saved?.apiKey : namedKey(settings, provider, wish),
      apiKeyPlace: keepsKey ? saved?.apiKeyPlace : wish.keyVariable,
      apiMode: wish.apiMode ?? apiMode ?? (keepsAddress ? saved?.apiMode : undefined),
      // The window that was written down belongs to the model beside it.
      contextLength: keepsAddress && saved?.model === model ? saved.contextLength : undefined,
    },
    key: wish.key,
    keyVariable: wish.keyVariable,
    keepsAddress,
    keepsKey,
    warnings: warning === undefined ? [] : [warning],
  };
}

/** The settings as they will be when the choice is saved, so that it can be tried before. */
export function settingsWith(settings: Settings, { choice, key }: ChosenModel): Settings {
  const variables = key === undefined ? settings.variables : { ...settings.variables, [key.variable]: key.secret };
  return { ...settings, model: choice, variables };
}

/** What is saved for this very provider. */
function savedFor(settings: Settings, provider: KnownProvider): ModelChoice | undefined {
  const primary = choosePrimary(settings, {});
  if (primary?.origin !== 'config' || lookUpProvider(settings, primary.provider)?.id !== provider.id) return undefined;
  return settings.model;
}

function isSame(baseUrl: string, saved: string | undefined, provider: KnownProvider): boolean {
  return isSameAddress(baseUrl, saved ?? provider.baseUrl ?? '');
}

/** The provider's own address need not be written down. */
function ownAddress(provider: KnownProvider, baseUrl: string | undefined): string | undefined {
  return baseUrl !== undefined && isSameAddress(baseUrl, provider.baseUrl ?? '') ? undefined : baseUrl;
}

/** The key of a variable that is not the provider's own; those are found anyway. */
function namedKey(settings: Settings, provider: KnownProvider, { key, keyVariable }: ModelWish): string | undefined {
  const variable = keyVariable ?? key?.variable;
  if (variable === undefined || provider.keyVariables.includes(variable)) return undefined;
  return key?.secret ?? settings.variables[variable];
}

function addressFor(settings: Settings, provider: KnownProvider, typed: string | undefined): Partial<ReadAddress> {
  if (typed !== undefined) {
    const read = readTypedAddress(typed);
    if (!('problem' in read)) return read;
    throw new ConfigurationError(`The base URL must be ${read.problem}.`, { hint: read.hint });
  }
  const saved = savedFor(settings, provider);
  const exported = settings.variables['OPENAI_BASE_URL'];
  if (provider.baseUrl ?? saved?.baseUrl) return {};
  // Whoever saved an endpoint without an address has it in the variable and wants it there.
  if (exported) return saved === undefined ? addressFor(settings, provider, exported) : {};
  throw new ConfigurationError(`The address of ${provider.name} is missing.`, {
    hint: 'Add --base-url, for example --base-url http://127.0.0.1:8080/v1.',
  });
}

function assertOneWord(model: string): void {
  // oxlint-disable-next-line no-control-regex
  if (!/[\s\u0000-\u001f\u007f]/.test(model)) return;
  throw new ConfigurationError('The name of a model has no blanks and no line breaks.', {
    hint: 'Copy it again, as it stands in the list of the provider.',
  });
}
