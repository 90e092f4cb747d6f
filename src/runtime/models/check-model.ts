import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { ModelRoute } from '../../contracts/index.ts';
import { hostOf, isListed, listCatalogue, similarModels, providerAt, resolveRoutes } from '../../providers/index.ts';
import { joinWithOr } from '../../util/index.ts';
import { explainMissingList } from './list-choices.ts';
import { type SelectedModel, settingsWith } from './selected-model.ts';

export type CheckOptions = {
  /** Accept a model name that is not known. */
  force?: boolean;
  /** Check the catalogue only, without network requests. */
  offline?: boolean;
  /** The route to the model, if it is already open. */
  route?: ModelRoute;
};

/** Returns warnings about a selected model. Throws if the name is certainly wrong. */
export async function checkModel(settings: Settings, chosen: SelectedModel, options: CheckOptions): Promise<string[]> {
  const known = await catalogueNames(settings, chosen);
  const { route, problem } = await openChosen(settings, chosen, {
    ...options,
    offline: options.offline || isListed(chosen.model, known),
  });
  const warnings = problem === undefined ? [] : [problem];
  if (isListed(chosen.model, known)) return warnings;
  const listed = await route?.listModels?.();
  if (isListed(chosen.model, listed ?? [])) return warnings;
  const hint = hintFor(chosen.model, [...(listed ?? []), ...known]);
  // The names of deployments and inference profiles in a cloud are chosen by its users.
  const isOwnName = chosen.provider.cloud !== undefined;
  if (known.length > 0 && !options.force && !isOwnName) throw unknownModel(chosen, hint);
  if (options.offline && known.length === 0) return warnings;
  const reason = listed === undefined && !options.offline ? await explainMissingList(settings, chosen) : undefined;
  return [...warnings, describeUncertainty(chosen, listed, { reason, hint })];
}

/**
 * The model names that the catalogue knows at the selected address: those of the selected provider if the address is
 * its own, otherwise those of the known provider at that address.
 */
async function catalogueNames(settings: Settings, { provider, choice }: SelectedModel): Promise<string[]> {
  const address = choice.baseUrl ?? provider.baseUrl;
  const isElsewhere = address === undefined || hostOf(address) !== hostOf(provider.baseUrl ?? '');
  const service = isElsewhere ? address && providerAt(address)?.id : provider.id;
  if (!service) return [];
  const models = await listCatalogue({ provider: service, home: settings.home });
  const written = Object.keys(settings.modelOverrides ?? {}).map((name) => name.replace(`${provider.id}/`, ''));
  if (models.length === 0) return [];
  return [...models.map(({ id }) => id), ...written, ...(isElsewhere ? [] : [provider.defaultModel ?? ''])];
}

/** A missing key does not prevent saving a choice, because it may be added later. */
async function openChosen(
  settings: Settings,
  chosen: SelectedModel,
  { offline, route }: CheckOptions,
): Promise<{ route?: ModelRoute; problem?: string }> {
  if (route !== undefined) return { route };
  try {
    const [primary] = resolveRoutes({ ...settingsWith(settings, chosen), fallbacks: [] })?.routes ?? [];
    return offline || primary === undefined ? {} : { route: await primary.open() };
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return { problem: [errorMessage(thrown), thrown.hint].filter(Boolean).join(' ') };
  }
}

function hintFor(model: string, names: readonly string[]): string | undefined {
  const near = similarModels(model, [...new Set(names)]);
  return near.length === 0 ? undefined : `Did you mean ${joinWithOr(near)}?`;
}

function unknownModel({ provider, model }: SelectedModel, hint: string | undefined): ConfigurationError {
  const way = 'Check the name, or add --force if the model is new.';
  return new ConfigurationError(`${provider.name} has no known model "${model}".`, {
    hint: [hint, way].filter(Boolean).join(' '),
  });
}

function describeUncertainty(
  { provider, model }: SelectedModel,
  listed: readonly string[] | undefined,
  { reason, hint }: { reason?: string; hint?: string },
): string {
  if (listed === undefined) {
    const what = `Could not check whether ${provider.name} has a model "${model}"`;
    if (reason !== undefined) return `${what}: ${reason.replace(/(?<!\.)$/, '.')}`;
    return [`${what}, because it did not return a list of models.`, hint].filter(Boolean).join(' ');
  }
  const what =
    listed.length === 0
      ? `${provider.name} lists no models: load or enable one there.`
      : `${provider.name} does not list a model "${model}".`;
  return [what, hint].filter(Boolean).join(' ');
}
