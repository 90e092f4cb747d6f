import { newId } from '../base/index.ts';
import { quoteShellWord } from '../util/index.ts';

/** The environment variable with the process tag, by which everything that a command started is found. */
export const PROCESS_TAG_VARIABLE = 'HERMES_CALL';

/** Unique but not secret: a command can read its own tag. */
export function newProcessTag(): string {
  return newId('run');
}

/**
 * The flags of a shell. Without `--norc`, bash assumes a remote shell if stdin is a socket, and reads start-up files.
 */
export function shellFlags(shell: string): string[] {
  return shell.endsWith('bash') ? ['--norc'] : [];
}

/** How to restore and save the shell state around a command. */
export type ScriptParts = {
  /** Whether the shell is bash, which can list functions and has named options. */
  bash: boolean;
  /** Commands that set options, run first because parsing a function may depend on them. */
  options: string;
  /** The file with the saved state. */
  source: string | undefined;
  /** The file to save the new state to; without it nothing is saved. */
  target: string | undefined;
  /** The file to save the initial state to, before the command runs. */
  baseline?: string | undefined;
};

/**
 * The script of a shell whose first parameter is the command. The command is passed as a parameter, so that an
 * unterminated quote in it cannot affect the rest of the script.
 */
export function commandScript(parts: ScriptParts, command: string): string {
  const { bash, target, baseline } = parts;
  const lines = [preamble(parts)];
  if (baseline !== undefined) lines.push(saveState(bash, baseline));
  if (target === undefined) return [...lines, RUN].join('; ');
  return [...lines, runAndSave(`${QUIET}; ${saveState(bash, target)}`, command)].join('; ');
}

/** Runs the command from a parameter, so that it neither affects nor sees our own code. */
const RUN = 'exec 2>&1; __hermes=$1; shift; eval "$__hermes"';

function runAndSave(save: string, command: string): string {
  if (!/\btrap\b/.test(command)) return `trap ${quoteShellWord(save)} EXIT; ${RUN}`;
  // A trap in the command replaces ours, so the state is also saved after the command returns.
  const keep = `__hermes_keep() { __hermes=$?; unset -f __hermes_keep; ${save}; return $__hermes; }`;
  return `${keep}; trap ${quoteShellWord(`unset -f __hermes_keep; ${save}`)} EXIT; ${RUN}; __hermes_keep`;
}

/** The script of a stateless command; the shell may replace itself with the program. */
export function statelessScript(parts: ScriptParts, command: string): string {
  return `${preamble(parts)}; exec 2>&1\n${command}`;
}

function preamble({ options, source }: ScriptParts): string {
  const words = [options, source === undefined ? '' : `. ${quoteShellWord(source)} 2>/dev/null`];
  return words.filter((word) => word !== '').join('; ') || ':';
}

/** Disables tracing, which would print our own commands, and errexit, which could end the shell too early. */
const QUIET = '{ \\set +exu; } 2>/dev/null';

/**
 * Excludes variables that belong to one call: the process tag and the directories. The tag is exported again, because
 * the command or its trap may still start processes after this.
 */
const DUMP = `\\export -n PWD OLDPWD __hermes ${PROCESS_TAG_VARIABLE}; \\declare -px; \\umask -p; \\declare -f; \\alias -p; \\export PWD OLDPWD ${PROCESS_TAG_VARIABLE}`;

/** Writes the directories and options, each terminated by NUL, and then the rest as shell code. */
function saveState(bash: boolean, file: string): string {
  const header = `\\printf "%s\\0%s\\0%s\\0%s\\0" "$PWD" "\${OLDPWD-}"`;
  const dump = bash ? `${header} "$BASHOPTS" "$SHELLOPTS"; ${DUMP}` : `${header} "" ""; \\export -p; \\alias`;
  return `{ ${dump}; } >|${quoteShellWord(file)} 2>/dev/null`;
}

/**
 * Like `commandScript`, but for a remote shell, whose state is not read here: everything is shell code for the next
 * shell, except for the directories, which go to a separate file.
 */
export function remoteScript(parts: Omit<ScriptParts, 'options'>, command: string): string {
  const { bash, target } = parts;
  const begin = preamble({ ...parts, options: bash ? 'shopt -s expand_aliases' : '' });
  if (target === undefined) return `${begin}; ${RUN}`;
  const dump = bash
    ? `\\shopt -p; \\set +o pipefail +o errtrace +o functrace; \\set +o; ${DUMP}`
    : `(\\unset PWD OLDPWD __hermes ${PROCESS_TAG_VARIABLE}; \\export -p); \\alias`;
  const names = `\\printf "%s\\0%s\\0" "$PWD" "\${OLDPWD-}"; \\pwd -P; \\printf "\\0"`;
  const directories = `{ ${names}; } >|${quoteShellWord(`${target}.d`)} 2>/dev/null`;
  return `${begin}; ${runAndSave(`${QUIET}; ${directories}; { ${dump}; } >|${quoteShellWord(target)} 2>/dev/null`, command)}`;
}
