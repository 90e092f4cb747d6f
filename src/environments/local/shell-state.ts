/** What a shell wrote down when it ended. */
export type ShellState = {
  directory: string;
  previousDirectory: string;
  /** Names of options that were on, of both kinds a shell has. */
  shellOptions: readonly string[];
  setOptions: readonly string[];
  /** Variables, functions and aliases, as text for a shell. */
  text: Buffer;
};

/**
 * Options that a command sets for itself. Carried on they would end or flood the next one, which knows nothing of them:
 * `set -euo pipefail` at the top of a script is not meant for the rest of the day.
 */
const OWN_OPTIONS: ReadonlySet<string> = new Set(
  'errexit errtrace functrace history monitor noexec notify nounset onecmd pipefail verbose xtrace'.split(' '),
);

/** Undefined where the bytes are not what a shell of ours writes, or where the directory has no name we could hold. */
export function parseShellState(bytes: Buffer): ShellState | undefined {
  const fields: string[] = [];
  let at = 0;
  while (fields.length < 4) {
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    fields.push(bytes.toString('utf8', at, end));
    at = end + 1;
  }
  const [directory = '', previousDirectory = '', shellOptions = '', setOptions = ''] = fields;
  if (!directory.startsWith('/') || directory.includes('\uFFFD')) return undefined;
  return {
    directory,
    previousDirectory,
    shellOptions: shellOptions.split(':'),
    setOptions: setOptions.split(':').filter((name) => !OWN_OPTIONS.has(name)),
    text: bytes.subarray(at),
  };
}

/** The names that functions and aliases have taken. A name too many only costs a little time. */
export function shadowedNames(state: ShellState): Set<string> {
  const names = new Set<string>();
  const text = state.text.toString('latin1');
  for (const [, name] of text.matchAll(/^(?:alias (?:-- )?)?([^\s()='"]+)(?:=| \(\)\s*$)/gm)) names.add(name as string);
  return names;
}

/** The commands that lead from one state's options to those of another. */
export function optionCommands(from: ShellState, to: ShellState): string {
  const commands = [
    ...changes(from.shellOptions, to.shellOptions).map(([name, on]) => `shopt -${on ? 's' : 'u'} ${name}`),
    ...changes(from.setOptions, to.setOptions).map(([name, on]) => `set ${on ? '-' : '+'}o ${name}`),
  ];
  // Without a terminal a shell knows aliases and does not use them.
  if (/^alias /m.test(to.text.toString('latin1'))) commands.push('shopt -s expand_aliases');
  return commands.join('; ');
}

function changes(from: readonly string[], to: readonly string[]): [name: string, on: boolean][] {
  const on = to.filter((name) => !from.includes(name)).map((name): [string, boolean] => [name, true]);
  const off = from.filter((name) => !to.includes(name)).map((name): [string, boolean] => [name, false]);
  return [...on, ...off].filter(([name]) => /^[\w-]+$/.test(name));
}
