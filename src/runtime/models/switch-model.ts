import { loadSettings, type Settings } from '../../config/index.ts';
import type { ModelRoute, RouteSource } from '../../contracts/index.ts';
import { resolveRoutes } from '../../providers/index.ts';
import type { Runtime } from '../create-runtime.ts';
import type { OpenedAgent } from '../create-agent.ts';
import { checkModel, type CheckOptions } from './check-model.ts';
import { type ChosenModel, chooseModel, type ModelWish, settingsWith } from './chosen-model.ts';
import { saveModel } from './save-model.ts';

/** A session and the runtime it lives in: all that commands about its model need. */
export type SessionContext = { runtime: Runtime; opened: OpenedAgent };

export type SwitchedModel = { chosen: ChosenModel; route: ModelRoute; warnings: string[] };

/**
 * Goes on with another model from the next turn on. Everything that can go wrong does so before anything is changed, so
 * that the old model stays where the new one cannot be used.
 */
export async function switchModel(
  { runtime, opened }: SessionContext,
  wish: ModelWish,
  options: CheckOptions & { save: boolean },
): Promise<SwitchedModel> {
  const settings = await currentSettings(runtime);
  const chosen = chooseModel(settings, wish);
  const trial = settingsWith(settings, chosen);
  const resolved = resolveRoutes(trial);
  const [primary, ...fallbacks] = resolved?.routes ?? [];
  if (resolved === undefined || primary === undefined) throw new Error('a chosen model has no route');
  const route = await primary.open();
  const doubts = await checkModel(settings, chosen, { ...options, route });
  const isSame = ({ provider, model }: RouteSource) => provider === primary.provider && model === primary.model;
  const others = fallbacks.filter((fallback) => !isSame(fallback));
  const routes: RouteSource[] = [{ ...primary, open: () => Promise.resolve(route) }, ...others];
  if (options.save) await saveModel(settings, chosen);
  opened.models.use(routes);
  if (options.save) runtime.blueprint = { ...runtime.blueprint, settings: trial, routes };
  return { chosen, route, warnings: [...chosen.warnings, ...resolved.warnings, ...doubts] };
}

/** As they are now: a key may have been added since the start. */
export function currentSettings({ blueprint: { settings } }: Pick<Runtime, 'blueprint'>): Promise<Settings> {
  return loadSettings({ home: settings.home, env: settings.variables });
}
