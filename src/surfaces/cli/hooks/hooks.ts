import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome, type ShellHookSettings } from '../../../config/index.ts';
import { allowHooks, hookState, revokeHooks } from '../../../plugins/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';

/** A configured hook with its approval state. */
type ListedHook = ShellHookSettings & { state: Awaited<ReturnType<typeof hookState>> };

export async function listHooks({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { hooks } = await readHooks(io);
  if (json) writeJson(io.stdout, { hooks });
  else
    io.stdout.write(
      hooks.length === 0
        ? 'There are no hooks. See docs/plugins.md for what they can do.\n'
        : formatHooks(hooks, createStyle(io.stdout, io.env)),
    );
  return 0;
}

function formatHooks(hooks: readonly ListedHook[], style: Style): string {
  return hooks
    .map(({ key, command, matcher, timeoutSeconds, state }) => {
      const symbol = state === 'allowed' ? style.green('✓') : style.red('✗');
      const tools = matcher === undefined ? '' : ` for ${matcher}`;
      const why = STATE_TEXTS[state] === undefined ? '' : style.yellow(` [${STATE_TEXTS[state]}]`);
      return `${symbol} ${key}${printable(tools)}, ${timeoutSeconds} s${why}\n    ${printable(command)}\n`;
    })
    .join('');
}

const STATE_TEXTS: Readonly<Partial<Record<ListedHook['state'], string>>> = {
  new: 'not run: not allowed yet',
  changed: 'not run: changed since it was allowed',
};

/** Allows hooks in their current form after showing them, or revokes that permission. */
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
    const question = `Allow ${chosen.length === 1 ? 'this command' : 'these commands'} to run?`;
    if (!(await confirm(question, yes, io, 'Hooks run with all of your permissions'))) return 1;
    await allowHooks(home, chosen, io.workingDirectory);
  } else await revokeHooks(home, chosen);
  if (json) writeJson(io.stdout, { hooks: chosen.map(({ key }) => key), allowed: change === 'allow' });
  else io.stdout.write(`${counted(chosen.length, 'hook')} ${change === 'allow' ? 'allowed' : 'revoked'}.\n`);
  return 0;
}

const HINT = 'docs/plugins.md describes how to configure one.';

function choose(hooks: readonly ListedHook[], keys: readonly string[]): readonly ListedHook[] {
  const unknown = keys.find((key) => !hooks.some((hook) => hook.key === key));
  if (unknown !== undefined)
    throw new ConfigurationError(`There is no hook "${unknown}".`, { hint: '`hermes hooks list` shows all hooks.' });
  return keys.length === 0 ? hooks : hooks.filter(({ key }) => keys.includes(key));
}

async function readHooks(io: CliIo): Promise<{ home: string; hooks: ListedHook[] }> {
  const home = resolveHome(io.env);
  const { hooks = [] } = await loadSettings({ home, env: io.env });
  const listed = hooks.map(async (hook) => ({ ...hook, state: await hookState(home, hook, io.workingDirectory) }));
  return { home, hooks: await Promise.all(listed) };
}
