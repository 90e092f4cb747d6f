import { ConfigurationError } from '../base/index.ts';
import type { FallbackChoice, ModelChoice, Settings } from '../config/index.ts';
import { findBaseUrl } from './find-base-url.ts';
import { findProvider, hostOf } from './find-provider.ts';

type NamedChoice = ModelChoice & { provider: string };

/**
 * Limits `OPENAI_API_KEY` to the custom endpoint that the user chose as the primary model: a fallback or an auxiliary
 * model at another host gets no key unless one is configured for it.
 */
export function limitSharedKey<Choice extends NamedChoice>(
  settings: Settings,
  choice: Choice,
  primary: NamedChoice | undefined,
): Choice {
  const isSameHost = primary !== undefined && hostFor(settings, choice) === hostFor(settings, primary);
  return { ...choice, sharedKey: isSameHost && primary.sharedKey === true };
}

/** The fallbacks of a primary model. */
export function fallbacksOf(settings: Settings, primary: NamedChoice | undefined): FallbackChoice[] {
  return settings.fallbacks.map((choice) => limitSharedKey(settings, choice, primary));
}

/** Undefined if the choice has a problem, which is reported when its route is opened. */
function hostFor(settings: Settings, choice: NamedChoice): string | undefined {
  try {
    return hostOf(findBaseUrl(settings, findProvider(settings, choice.provider), choice).baseUrl);
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return undefined;
    throw thrown;
  }
}
