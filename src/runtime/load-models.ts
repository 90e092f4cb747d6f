import { type EnvironmentVariables, loadSettings, type Settings } from '../config/index.ts';
import { type ResolvedRoutes, type RouteFlags, resolveRoutes } from '../providers/index.ts';

/** What is set, and which models follow from it; none where nothing is configured. */
export type LoadedModels = { settings: Settings; models: ResolvedRoutes | undefined };

/** The first half of a start: reads and checks, and writes nothing. */
export async function loadModels(options: {
  home: string;
  env: EnvironmentVariables;
  flags?: RouteFlags;
}): Promise<LoadedModels> {
  const settings = await loadSettings(options);
  return { settings, models: resolveRoutes(settings, options.flags) };
}
