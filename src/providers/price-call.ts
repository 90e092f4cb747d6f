import type { Cost, Usage } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import { collectFacts, estimateCost } from './catalogue/index.ts';
import { overridesOf } from './facts-source.ts';
import { providerAt } from './find-provider.ts';
import { isLocalEndpoint } from './local-endpoint.ts';

/** What a call outside of any route costs, by what the person wrote and the catalogue; undefined where neither knows. */
export function priceCall(
  settings: Pick<Settings, 'modelOverrides' | 'home'>,
  { provider, model, baseUrl }: { provider: string; model: string; baseUrl: string },
  usage: Usage,
): Cost | undefined {
  const written = overridesOf(settings, provider, model);
  const where = { service: providerAt(baseUrl)?.id, local: isLocalEndpoint(baseUrl), home: settings.home };
  return estimateCost(collectFacts(model, { written, ...where }), usage);
}
