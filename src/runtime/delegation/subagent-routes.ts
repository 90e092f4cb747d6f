import type { Settings } from '../../config/index.ts';
import type { RouteSource } from '../../contracts/index.ts';
import { resolveRoutes } from '../../providers/index.ts';
import { chooseModel, settingsWith } from '../models/chosen-model.ts';
import { readModelName } from '../models/read-model-name.ts';

/**
 * The chain for a task: that of the chat, or the model that was named, and behind it the fallbacks of the settings.
 * Throws where there is no such model.
 */
export async function findRoutes(
  settings: Settings,
  chat: readonly RouteSource[],
  model: string | undefined,
): Promise<readonly RouteSource[]> {
  const name = model?.trim() ?? '';
  if (name === '' || name === chat[0]?.model) return chat;
  const wish = await readModelName(settings, [name], chat[0]?.provider ?? '');
  const routes = resolveRoutes(settingsWith(settings, chooseModel(settings, wish)))?.routes ?? [];
  return routes.length === 0 ? chat : routes;
}
