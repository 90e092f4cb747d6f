import type { Settings } from '../../config/index.ts';
import { type CatalogueModel, findKey, hostOf, listCatalogue, resolveRoutes } from '../../providers/index.ts';
import { type SelectedModel, settingsWith } from './selected-model.ts';

const LIST_TIMEOUT_MS = 5_000;

/** The models to choose from at a provider: those its endpoint lists, with facts from the catalogue. */
export async function listChoices(settings: Settings, chosen: SelectedModel): Promise<CatalogueModel[]> {
  const { provider, choice } = chosen;
  const trial = settingsWith(settings, chosen);
  const baseUrl = choice.baseUrl ?? provider.baseUrl ?? settings.variables['OPENAI_BASE_URL'];
  const known = { provider: provider.id, home: settings.home, overrides: settings.modelOverrides };
  const hasNoList = provider.authType === 'command' || provider.authType === 'cloud';
  if (baseUrl === undefined || hasNoList) return listCatalogue(known);
  const { quirks, headers, modelListing } = provider;
  const secret =
    provider.authType === 'login'
      ? undefined
      : findKey(trial, provider, { ...choice, sharedKey: true }, baseUrl)?.secret;
  const endpoint = {
    baseUrl,
    quirks,
    headers,
    ...modelListing,
    variables: trial.variables,
    timeoutMs: LIST_TIMEOUT_MS,
    apiMode: choice.apiMode ?? provider.apiMode,
    // Like a key, they are sent only to the address they were configured for.
    bound: choice.request && { ...choice.request, hosts: [hostOf(baseUrl) ?? ''] },
    // An existing key is sent only to the host it belongs to.
    credential: secret === undefined ? undefined : { secret, hosts: [hostOf(baseUrl) ?? ''] },
  };
  if (provider.authType !== 'login') return listCatalogue({ ...known, endpoint });
  return withNames(await listCatalogue(known), await namesWithLogin(trial));
}

/** Why the endpoint of a choice lists no models, such as a rejected key; undefined if the reason is unknown. */
export async function explainMissingList(settings: Settings, chosen: SelectedModel): Promise<string | undefined> {
  const { diagnoseRoutes } = await import('../../providers/diagnosis/index.ts');
  const typed = chosen.key === undefined ? chosen.choice : { ...chosen.choice, apiKeyLocation: 'your input' };
  const trial = { ...settingsWith(settings, { ...chosen, choice: typed }), fallbacks: [], auxiliary: {} };
  const found = await diagnoseRoutes(trial, { offline: false });
  return found.find(({ status }) => status === 'wrong')?.message;
}

/** Uses the route, because a login may need a token refresh first. */
async function namesWithLogin(trial: Settings): Promise<readonly string[] | undefined> {
  try {
    const [primary] = resolveRoutes({ ...trial, fallbacks: [] })?.routes ?? [];
    return await (await primary?.open())?.listModels?.();
  } catch {
    // The catalogue can be offered without the endpoint's list, and the test call will report the error.
    return undefined;
  }
}

function withNames(known: CatalogueModel[], names: readonly string[] | undefined): CatalogueModel[] {
  if (names === undefined || names.length === 0) return known;
  return names.map((id) => ({ facts: {}, ...known.find((model) => model.id === id), id, listed: true }));
}
