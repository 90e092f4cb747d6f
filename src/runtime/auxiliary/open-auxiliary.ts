import type { Clock } from '../../base/index.ts';
import type { AuxiliaryModels, AuxiliarySpending, Logger, SessionStore } from '../../contracts/index.ts';
import type { RuntimeOptions } from '../create-runtime.ts';
import { createSpendingWatch } from './spending-watch.ts';

/** The models for the tasks beside the chat, put together when the first task asks. */
export function openAuxiliary(
  { settings, auxiliaryRoutes: routes }: Pick<RuntimeOptions, 'settings' | 'auxiliaryRoutes'>,
  shared: { store: SessionStore; logger: Logger; clock: Clock },
): (AuxiliaryModels & AuxiliarySpending) | undefined {
  if (routes === undefined) return undefined;
  const spending = createSpendingWatch();
  let opening: Promise<AuxiliaryModels> | undefined;
  const open = async () => {
    const { createAuxiliaryModels } = await import('./auxiliary-models.ts');
    return createAuxiliaryModels({ settings, routes, spending, ...shared });
  };
  return {
    follow: spending.follow,
    async ask(task, request) {
      opening ??= open();
      return (await opening).ask(task, request);
    },
  };
}
