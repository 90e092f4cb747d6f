import { loadSettings, type Settings, type SettingsSources } from '../config/index.ts';
import { type ResolvedRoutes, type RouteFlags, resolveRoutes } from '../providers/index.ts';

/** The settings and the models they select; `models` is undefined if none is configured. */
export type LoadedModels = { settings: Settings; models: ResolvedRoutes | undefined };

/** The first half of startup: reads and validates, writes nothing. */
export async function loadModels(options: SettingsSources & { flags?: RouteFlags }): Promise<LoadedModels> {
  const settings = await loadSettings(options);
  return { settings, models: resolveRoutes(settings, options.flags) };
}
