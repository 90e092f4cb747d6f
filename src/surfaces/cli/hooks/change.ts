import { ConfigurationError } from '../../../base/index.ts';
import { allowHooks, revokeHooks } from '../../../plugins/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { counted } from '../../text/counted.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle } from '../style.ts';
import { formatHooks, type ListedHook, readHooks } from './list.ts';

/** Allows hooks as they are now, after the person saw them, or takes that back. */
export async function changeHooks(
  change: 'allow' | 'revoke',
  keys: readonly string[],
  { json, yes }: { json?: boolean; yes?: boolean },
  io: CliIo,
): Promise<number> {
  const { home, hooks } = await readHooks(io);
  const chosen = choose(hooks, keys);
  if (chosen.length === 0) throw new ConfigurationError('There are no hooks in config.yaml.', { hint: HINT });
  if (change === 'allow') {
    if (!json) io.stdout.write(formatHooks(chosen, createStyle(io.stdout, io.env)));
    const question = `Run ${chosen.length === 1 ? 'this command' : 'these commands'} from now on?`;
    if (!(await confirm(question, yes, io, 'Hooks run with all that you may do'))) return 1;
    await allowHooks(home, chosen, io.workingDirectory);
  } else await revokeHooks(home, chosen);
  if (json) writeJson(io.stdout, { hooks: chosen.map(({ key }) => key), allowed: change === 'allow' });
  else io.stdout.write(`${counted(chosen.length, 'hook')} ${change === 'allow' ? 'allowed' : 'revoked'}.\n`);
  return 0;
}

const HINT = 'docs/plugins.md shows how one is written down.';

function choose(hooks: readonly ListedHook[], keys: readonly string[]): readonly ListedHook[] {
  const unknown = keys.find((key) => !hooks.some((hook) => hook.key === key));
  if (unknown !== undefined)
    throw new ConfigurationError(`There is no hook ${unknown}.`, { hint: '`hermes hooks list` shows all.' });
  return keys.length === 0 ? hooks : hooks.filter(({ key }) => keys.includes(key));
}
