import { formatPlugins } from '../../text/plugins-text.ts';
import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/plugins`: those of this program, and what went wrong with them. */
export async function pluginsCommand({ runtime, print, style }: SlashContext): Promise<void> {
  const { plugins } = runtime;
  await plugins.whenLoaded();
  const all = plugins.list();
  print(
    all.length === 0 ? 'No plugin is enabled. `hermes plugins list` shows what there is.\n' : formatPlugins(all, style),
  );
  const rest = plugins
    .warnings()
    .filter((warning) => !all.some(({ fault }) => fault && warning.includes(fault.reason)));
  for (const warning of rest) print(`${style.yellow('!')} ${showable(warning)}\n`);
}
