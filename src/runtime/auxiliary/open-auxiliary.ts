import type { Clock } from '../../base/index.ts';
import type { AuxiliaryModels, Logger, SessionStore } from '../../contracts/index.ts';
import type { ServicesOptions } from '../services.ts';
import type { SpendingWatch } from './spending-watch.ts';

/** The models for the tasks beside the chat, put together when the first task asks. */
export function openAuxiliary(
  { settings, auxiliaryRoutes: routes }: Pick<ServicesOptions, 'settings' | 'auxiliaryRoutes'>,
  shared: { store: SessionStore; spending?: SpendingWatch; logger: Logger; clock: Clock },
): AuxiliaryModels | undefined {
  if (routes === undefined) return undefined;
  let opening: Promise<AuxiliaryModels> | undefined;
  const open = async () => {
    const { createAuxiliaryModels } = await import('./auxiliary-models.ts');
    return createAuxiliaryModels({ settings, routes, ...shared });
  };
  return {
    async ask(task, request) {
      opening ??= open();
      return (await opening).ask(task, request);
    },
  };
}
