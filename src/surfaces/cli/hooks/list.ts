import { loadSettings, resolveHome, type ShellHookSettings } from '../../../config/index.ts';
import { hookState } from '../../../plugins/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, type Style, showable } from '../style.ts';

/** A hook, and whether it is run. */
export type ListedHook = ShellHookSettings & { state: Awaited<ReturnType<typeof hookState>> };

export async function readHooks(io: CliIo): Promise<{ home: string; hooks: ListedHook[] }> {
  const home = resolveHome(io.env);
  const { hooks = [] } = await loadSettings({ home, env: io.env });
  const listed = hooks.map(async (hook) => ({ ...hook, state: await hookState(home, hook, io.workingDirectory) }));
  return { home, hooks: await Promise.all(listed) };
}

export async function listHooks({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { hooks } = await readHooks(io);
  if (json) writeJson(io.stdout, { hooks });
  else
    io.stdout.write(
      hooks.length === 0
        ? 'There are no hooks. docs/plugins.md shows what they are good for.\n'
        : formatHooks(hooks, createStyle(io.stdout, io.env)),
    );
  return 0;
}

export function formatHooks(hooks: readonly ListedHook[], style: Style): string {
  return hooks
    .map(({ key, command, matcher, timeoutSeconds, state }) => {
      const mark = state === 'allowed' ? style.green('✓') : style.red('✗');
      const tools = matcher === undefined ? '' : ` for ${matcher}`;
      const why = WORDS[state] === undefined ? '' : style.yellow(` [${WORDS[state]}]`);
      return `${mark} ${key}${showable(tools)}, ${timeoutSeconds} s${why}\n    ${showable(command)}\n`;
    })
    .join('');
}

const WORDS: Readonly<Partial<Record<ListedHook['state'], string>>> = {
  new: 'not run: nobody has allowed it',
  changed: 'not run: it has changed since it was allowed',
};
