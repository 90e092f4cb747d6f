import type { AuxiliaryModels, Logger, SessionStore } from '../../contracts/index.ts';
import type { RuntimeOptions } from '../create-runtime.ts';
import type { TitleMaker } from './title-maker.ts';

const NO_TITLES: TitleMaker = { begin: () => undefined, stop: () => Promise.resolve() };

/** Nothing is loaded before the first turn has ended, and nothing at all where nobody wants titles. */
export function openTitles(
  { settings, attended }: Pick<RuntimeOptions, 'settings' | 'attended'>,
  auxiliary: AuxiliaryModels | undefined,
  { store, logger }: { store: SessionStore; logger: Logger },
): TitleMaker {
  const wanted = attended && settings.auxiliary.title_generation?.enabled !== false;
  if (auxiliary === undefined || !wanted) return NO_TITLES;
  let opening: Promise<TitleMaker> | undefined;
  const open = async () => {
    const { createTitleMaker } = await import('./title-maker.ts');
    return createTitleMaker({ store, auxiliary, logger });
  };
  return {
    begin(result) {
      opening ??= open();
      void opening.then((maker) => maker.begin(result));
    },
    stop: async () => (await opening)?.stop(),
  };
}
