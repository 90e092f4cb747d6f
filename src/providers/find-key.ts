import { ConfigurationError } from '../base/index.ts';
import { type ModelChoice, placeOfVariable, type Settings } from '../config/index.ts';
import { hostOf, type KnownProvider } from './find-provider.ts';

/** A key and where it is written, which is all that may ever be shown of it. */
export type FoundKey = { secret: string; place: string };

/** The key of this very choice, else that of its named endpoint, which must not follow the choice to another host. */
export function findWrittenKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  const found = writtenKey(settings, provider, choice, baseUrl);
  if (found !== undefined) checkKey(found);
  return found;
}

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

function variableNamed(settings: Settings, name: string | undefined): FoundKey | undefined {
  const secret = name === undefined ? undefined : settings.variables[name];
  return name === undefined || !secret ? undefined : { secret, place: placeOfVariable(settings, name) };
}

const QUOTES = /^(['"`“”‘’]).*|.*(['"`“”‘’])$/s;

/** Longer than any key; a whole file that was given by mistake is not. */
const LONGEST_KEY = 16_384;

export function checkKey({ secret, place }: FoundKey): void {
  const fault = findKeyFault(secret);
  if (fault === undefined) return;
  throw new ConfigurationError(`The key of ${place} has ${fault}.`, {
    hint: 'Copy it again, as one line without quotes or spaces, or run `hermes setup`.',
  });
}

/** A key is one word of plain characters: anything else came with the copying, and no header could carry it. */
export function findKeyFault(secret: string): string | undefined {
  if (/[\r\n]/.test(secret)) return 'a line break';
  if (/\s/.test(secret)) return 'a space';
  if (QUOTES.test(secret)) return 'quotes around it';
  if (/[^\x21-\x7e]/.test(secret)) return 'a character that no key has';
  return secret.length > LONGEST_KEY ? 'more characters than any key' : undefined;
}
