import { randomBytes } from 'node:crypto';
import { quoteWord } from '../util/index.ts';

/** The variable in which all that a command starts carries a mark, so that it can be found wherever it went. */
export const MARK_VARIABLE = 'HERMES_CALL';

export function newMark(): string {
  return randomBytes(9).toString('base64url');
}

/** Bash takes a program with a socket as its input for one that is reached over the network, and reads start-up files. */
export function shellFlags(shell: string): string[] {
  return shell.endsWith('bash') ? ['--norc'] : [];
}

/** What goes before a command, and where its shell writes what it leaves behind. */
export type ScriptParts = {
  /** The shell knows functions that can be listed, and options by name. */
  bash: boolean;
  /** Options to set before anything else: a function may be readable only with them. */
  options: string;
  /** What an earlier shell left behind. */
  source: string | undefined;
  /** Where to write what this one leaves behind; nothing is written without it. */
  target: string | undefined;
  /** Where to write what it found, before the command. */
  baseline?: string | undefined;
};

/**
 * The script of a shell whose first parameter is the command. It is given as a parameter and not as a part of the text,
 * so that nothing in it, such as an unfinished quotation, can reach over into what comes after.
 */
export function commandScript(parts: ScriptParts, command: string): string {
  const { bash, target, baseline } = parts;
  const lines = [preamble(parts)];
  if (baseline !== undefined) lines.push(saveState(bash, baseline));
  if (target === undefined) return [...lines, RUN].join('; ');
  return [...lines, runAndSave(`${QUIET}; ${saveState(bash, target)}`, command)].join('; ');
}

/** The command is given as a parameter, so that it cannot reach over into our own words, and hides them from it. */
const RUN = 'exec 2>&1; __hermes=$1; shift; eval "$__hermes"';

function runAndSave(save: string, command: string): string {
  if (!/\btrap\b/.test(command)) return `trap ${quoteWord(save)} EXIT; ${RUN}`;
  // A trap of the command's own takes the place of ours, so what is left behind is also kept before it comes.
  const keep = `__hermes_keep() { __hermes=$?; unset -f __hermes_keep; ${save}; return $__hermes; }`;
  return `${keep}; trap ${quoteWord(`unset -f __hermes_keep; ${save}`)} EXIT; ${RUN}; __hermes_keep`;
}

/** The script of a command that leaves nothing behind: the shell may become the program itself. */
export function plainScript(parts: ScriptParts, command: string): string {
  return `${preamble(parts)}; exec 2>&1\n${command}`;
}

function preamble({ options, source }: ScriptParts): string {
  const words = [options, source === undefined ? '' : `. ${quoteWord(source)} 2>/dev/null`];
  return words.filter((word) => word !== '').join('; ') || ':';
}

/** Tracing would show our own words in the output, and a failing one would end the shell too early. */
const QUIET = '{ \\set +exu; } 2>/dev/null';

/**
 * What belongs to one call only is left out: the mark, and the directories. The command, or a trap of its own, may come
 * after this, and what they start is found only by the mark.
 */
const DUMP = `\\export -n PWD OLDPWD __hermes ${MARK_VARIABLE}; \\declare -px; \\umask -p; \\declare -f; \\alias -p; \\export PWD OLDPWD ${MARK_VARIABLE}`;

/** Writes directories and options, each ended by a NUL, and then the rest as text that a shell can read. */
function saveState(bash: boolean, file: string): string {
  const header = `\\printf "%s\\0%s\\0%s\\0%s\\0" "$PWD" "\${OLDPWD-}"`;
  const dump = bash ? `${header} "$BASHOPTS" "$SHELLOPTS"; ${DUMP}` : `${header} "" ""; \\export -p; \\alias`;
  return `{ ${dump}; } >|${quoteWord(file)} 2>/dev/null`;
}

/**
 * The same for a shell of another machine, where nobody here reads what was left behind: all of it is text for the next
 * shell, apart from the directories, which go to a file of their own.
 */
export function remoteScript(parts: Omit<ScriptParts, 'options'>, command: string): string {
  const { bash, target } = parts;
  const begin = preamble({ ...parts, options: bash ? 'shopt -s expand_aliases' : '' });
  if (target === undefined) return `${begin}; ${RUN}`;
  const dump = bash
    ? `\\shopt -p; \\set +o pipefail +o errtrace +o functrace; \\set +o; ${DUMP}`
    : '\\export -p; \\alias';
  const directories = `\\printf "%s\\0%s\\0" "$PWD" "\${OLDPWD-}" >|${quoteWord(`${target}.d`)}`;
  return `${begin}; ${runAndSave(`${QUIET}; ${directories}; { ${dump}; } >|${quoteWord(target)} 2>/dev/null`, command)}`;
}
