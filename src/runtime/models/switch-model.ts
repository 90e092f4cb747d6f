import { type ConfigChange, loadSettings, type Settings, updateConfig, updateEnvFile } from '../../config/index.ts';
import type { ModelRoute, RouteSource } from '../../contracts/index.ts';
import { lookUpProvider, resolveRoutes } from '../../providers/index.ts';
import type { OpenedAgent } from '../create-agent.ts';
import type { Runtime } from '../create-runtime.ts';
import { checkModel, type CheckOptions } from './check-model.ts';
import { selectModel, type SelectedModel, type RequestedModel, settingsWith } from './selected-model.ts';

/** What commands about the model of a session need. */
export type SessionContext = { runtime: Runtime; opened: OpenedAgent };

export type SwitchedModel = { chosen: SelectedModel; route: ModelRoute; warnings: string[] };

/**
 * Switches to another model from the next turn on. All checks run before anything changes, so that the old model
 * stays if the new one cannot be used.
 */
export async function switchModel(
  { runtime, opened }: SessionContext,
  wish: RequestedModel,
  options: CheckOptions & { save: boolean },
): Promise<SwitchedModel> {
  const settings = await currentSettings(runtime);
  const chosen = selectModel(settings, wish);
  const trial = settingsWith(settings, chosen);
  const resolved = resolveRoutes(trial, {}, { configured: { ...settings, variables: trial.variables } });
  const [primary, ...fallbacks] = resolved?.routes ?? [];
  if (resolved === undefined || primary === undefined) throw new Error('a selected model has no route');
  const route = await primary.open();
  const doubts = await checkModel(settings, chosen, { ...options, route });
  const isSame = ({ provider, model }: RouteSource) => provider === primary.provider && model === primary.model;
  const others = fallbacks.filter((fallback) => !isSame(fallback));
  const routes: RouteSource[] = [{ ...primary, open: () => Promise.resolve(route) }, ...others];
  if (options.save) await saveModel(settings, chosen);
  opened.models.use(routes, resolved.auxiliaryRoutes);
  if (options.save) {
    runtime.blueprint = { ...runtime.blueprint, settings: trial, routes };
    runtime.auxiliary?.useRoutes(undefined, resolved.auxiliaryRoutes);
  }
  return { chosen, route, warnings: [...chosen.warnings, ...resolved.warnings, ...doubts] };
}

/** Loads the settings again: a key may have been added since startup. */
export function currentSettings({ blueprint: { settings } }: Pick<Runtime, 'blueprint'>): Promise<Settings> {
  return loadSettings({ home: settings.home, env: settings.variables });
}

/** Saves a choice and leaves everything else in both files unchanged. */
export async function saveModel(settings: Settings, chosen: SelectedModel): Promise<void> {
  const { key } = chosen;
  if (key !== undefined) await updateEnvFile(settings.home, { [key.variable]: key.secret });
  await updateConfig(settings.home, async () => {
    // Another process may have saved another model since, so what stays in the file is decided again.
    const current = await loadSettings({ home: settings.home, env: settings.variables });
    return changesFor(current, selectModel(current, chosen.requested));
  });
}

function changesFor(settings: Settings, chosen: SelectedModel): ConfigChange[] {
  const { provider, model, choice, keepsAddress, keepsKey } = chosen;
  const set = (name: string, value: string | undefined): ConfigChange => ({ path: ['model', name], value });
  // An alias of the same provider stays as written.
  const isNamed = lookUpProvider(settings, settings.model.provider ?? '')?.id === provider.id;
  const isSameModel = keepsAddress && settings.model.model === model;
  return [
    ...(isNamed ? [] : [set('provider', provider.id)]),
    set('default', model),
    // Remove this key, because existing files may contain the model name under it too.
    set('model', undefined),
    ...(keepsAddress ? [] : [set('base_url', choice.baseUrl)]),
    // They belong to the old address and may contain secrets.
    ...(keepsAddress ? [] : ['headers', 'query', 'extra_body'].map((name) => set(name, undefined))),
    ...(keepsKey ? [] : [set('api_key', keyReference(chosen))]),
    ...(keepsAddress && choice.apiMode === settings.model.apiMode ? [] : [set('api_mode', choice.apiMode)]),
    ...(isSameModel ? [] : [set('context_length', undefined)]),
  ];
}

/**
 * The reference to the key's variable in the configuration file. The provider's own variables are always checked, so
 * they need no reference.
 */
function keyReference({ provider, key, keyVariable }: SelectedModel): string | undefined {
  const variable = keyVariable ?? key?.variable;
  return variable === undefined || provider.keyVariables.includes(variable) ? undefined : `\${${variable}}`;
}
