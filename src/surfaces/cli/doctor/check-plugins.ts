import type { Settings } from '../../../config/index.ts';
import { findAllPlugins, hookState } from '../../../plugins/index.ts';
import { counted } from '../../text/counted.ts';
import type { Finding } from './finding.ts';

const check = 'plugins';

/** What is enabled and cannot be used, and hooks that wait for a word. No code of a plugin is run. */
export async function checkPlugins(settings: Settings, workingDirectory: string): Promise<Finding[]> {
  const { home, plugins, hooks = [] } = settings;
  const found = await findAllPlugins({ home, workingDirectory, settings: plugins });
  const faults = found.flatMap(({ fault, state, name }): Finding[] => {
    if (state !== 'faulty' || fault === undefined) return [];
    return [
      { check, status: 'warning', message: `The plugin ${name} is left out: ${fault.reason}.`, hint: fault.hint },
    ];
  });
  const waiting = await Promise.all(
    hooks.map(async (hook): Promise<Finding[]> => {
      if ((await hookState(home, hook, workingDirectory)) === 'allowed') return [];
      const hint = 'Look at it with `hermes hooks list`, and allow it with `hermes hooks allow`.';
      return [{ check, status: 'warning', message: `${hook.key} is not run: it was not allowed as it is.`, hint }];
    }),
  );
  const usable = found.filter(({ state }) => state === 'on').length;
  const fine: Finding = {
    check,
    status: 'ok',
    message: `${counted(usable, 'plugin')} enabled; \`hermes plugins check\` loads what is enabled.`,
  };
  return [...(usable > 0 ? [fine] : []), ...faults, ...waiting.flat()];
}
