import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { ModelRoute } from '../../contracts/index.ts';
import { hostOf, isListed, listCatalogue, nearModels, providerAt, resolveRoutes } from '../../providers/index.ts';
import { type ChosenModel, settingsWith } from './chosen-model.ts';

export type CheckOptions = {
  /** Use a name that nobody knows all the same. */
  force?: boolean;
  /** Asks nobody: only the catalogue is looked at. */
  offline?: boolean;
  /** The way to the model, where it is open already. */
  route?: ModelRoute;
};

/** What is to be said about a chosen model before it is used; throws where its name cannot be right. */
export async function checkModel(settings: Settings, chosen: ChosenModel, options: CheckOptions): Promise<string[]> {
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
  if (known.length > 0 && !options.force) throw unknownModel(chosen, hint);
  if (options.offline && known.length === 0) return warnings;
  return [...warnings, describeDoubt(chosen, listed, hint)];
}

/** Without a note from the person, only the provider's own address is known to have the models of its catalogue. */
async function catalogueNames(settings: Settings, { provider, choice }: ChosenModel): Promise<string[]> {
  const address = choice.baseUrl ?? provider.baseUrl;
  const isElsewhere = address === undefined || hostOf(address) !== hostOf(provider.baseUrl ?? '');
  const service = isElsewhere ? address && providerAt(address)?.id : provider.id;
  if (!service) return [];
  const models = await listCatalogue({ provider: service, home: settings.home });
  const written = Object.keys(settings.modelOverrides ?? {}).map((name) => name.replace(`${provider.id}/`, ''));
  if (models.length === 0) return [];
  return [...models.map(({ id }) => id), ...written, ...(isElsewhere ? [] : [provider.defaultModel ?? ''])];
}

/** A missing key does not keep a choice from being saved: it may be given later. */
async function openChosen(
  settings: Settings,
  chosen: ChosenModel,
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
  const near = nearModels(model, [...new Set(names)]);
  return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
}

function unknownModel({ provider, model }: ChosenModel, hint: string | undefined): ConfigurationError {
  const way = 'If it is newer than what is known here, add --force.';
  return new ConfigurationError(`No model "${model}" of ${provider.name} is known.`, {
    hint: [hint, way].filter(Boolean).join(' '),
  });
}

function describeDoubt(
  { provider, model }: ChosenModel,
  listed: readonly string[] | undefined,
  hint: string | undefined,
): string {
  const what =
    listed === undefined
      ? `${provider.name} could not be asked whether it has a model "${model}".`
      : listed.length === 0
        ? `${provider.name} lists no model at all: load or enable one there.`
        : `${provider.name} does not list a model "${model}".`;
  return [what, hint].filter(Boolean).join(' ');
}
