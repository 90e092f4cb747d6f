import { ConfigurationError } from '../base/index.ts';
import { type ModelChoice, placeOfVariable, type Settings } from '../config/index.ts';
import { hostOf, type KnownProvider, providerAt } from './find-provider.ts';

/** A key and where it is written, which is all that may ever be shown of it. */
export type FoundKey = { secret: string; place: string };

/**
 * The key for an address: what was written down beside it, else the variable of whoever has that host. No variable's
 * key goes to a host that is not its provider's own.
 */
export function findKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  const found = writtenKey(settings, provider, choice, baseUrl) ?? variableKey(settings, keyOwner(provider, baseUrl));
  if (found !== undefined) checkKey(found);
  return found;
}

/** Whose variables may be looked at for this address; undefined where it is nobody's whom we know. */
export function keyOwner(provider: KnownProvider, baseUrl: string): KnownProvider | undefined {
  // Rows that share a host have keys of their own; a host that the person chose may be a known provider's.
  const isAtHome = provider.baseUrl !== undefined && hostOf(provider.baseUrl) === hostOf(baseUrl);
  if (isAtHome && !provider.ownHost) return provider;
  return providerAt(baseUrl) ?? (provider.ownHost ? provider : undefined);
}

/** The key of this very choice, else that of its named endpoint, which must not follow the choice to another host. */
function writtenKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  if (choice.apiKey !== undefined) {
    return { secret: choice.apiKey, place: choice.apiKeyPlace ?? `api_key of ${provider.name}` };
  }
  if (provider.baseUrl === undefined || hostOf(provider.baseUrl) !== hostOf(baseUrl)) return undefined;
  if (provider.apiKey !== undefined) {
    return { secret: provider.apiKey, place: provider.apiKeyPlace ?? `api_key of ${provider.name}` };
  }
  return variableNamed(settings, provider.ownKeyVariable);
}

function variableKey(settings: Settings, owner: KnownProvider | undefined): FoundKey | undefined {
  return variableNamed(
    settings,
    owner?.keyVariables.find((name) => settings.variables[name]),
  );
}

function variableNamed(settings: Settings, name: string | undefined): FoundKey | undefined {
  const secret = name === undefined ? undefined : settings.variables[name];
  return name === undefined || !secret ? undefined : { secret, place: placeOfVariable(settings, name) };
}

const QUOTES = /^(['"`“”‘’]).*|.*(['"`“”‘’])$/s;

/** A key is one word of plain characters: anything else came with the copying, and no header could carry it. */
function checkKey({ secret, place }: FoundKey): void {
  const problem = /[\r\n]/.test(secret)
    ? 'a line break'
    : /\s/.test(secret)
      ? 'a space'
      : QUOTES.test(secret)
        ? 'quotes around it'
        : /[^\x21-\x7e]/.test(secret)
          ? 'a character that no key has'
          : undefined;
  if (problem === undefined) return;
  throw new ConfigurationError(`The key of ${place} has ${problem}.`, {
    hint: 'Copy it again, as one line without quotes or spaces, or run `hermes setup`.',
  });
}
