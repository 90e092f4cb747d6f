/**
 * Words with which a command can change the shell that reads it, or that lead to other words which can. Everything else
 * at the beginning of a command is a program, and a program cannot.
 */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  [
    'alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval exec',
    'exit export fc fg getopts hash help history jobs let local logout mapfile popd printf pushd read readarray readonly',
    'return set shift shopt source suspend times trap typeset ulimit umask unalias unset wait . :',
    'case coproc do done elif else esac fi for function if in select then time until while',
  ]
    .join(' ')
    .split(' '),
);

/** Quotation in which nothing is replaced; where it stands, one character is enough to see that something was quoted. */
const QUOTED = /'[^']*'|"[^"$`\\!]*"/g;
/** What may follow a program's name: words, redirections, quotation, and variables that are only read. */
const ARGUMENTS = /^(?:[\w./:,@%+=~^?*[\]<> "-]|\$\w|>&)*$/;
const PROGRAM = /^[\w./+-]+(?= |$)/;

/**
 * Whether a command surely leaves its shell as it was, so that nothing has to be kept afterwards. Only plain ones are
 * recognised: what looks in any way unusual counts as one that may change something. `shadowed` are the names that mean
 * something else by now, because a function or an alias has them.
 */
export function isPlainCommand(command: string, shadowed: ReadonlySet<string>): boolean {
  // Most commands are far shorter, and the ones that are not have to be looked at in full.
  if (command.length > 4096) return false;
  const parts = command
    .replace(QUOTED, '"')
    .trim()
    .split(/&&|\|\||[;|\n]|&$/);
  // A command that ends with `&` or a line break has nothing after it.
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop();
  return parts.every((part) => isProgramCall(part.trim(), shadowed));
}

function isProgramCall(part: string, shadowed: ReadonlySet<string>): boolean {
  const [program] = PROGRAM.exec(part) ?? [];
  if (program === undefined || SHELL_WORDS.has(program) || shadowed.has(program)) return false;
  return ARGUMENTS.test(part.slice(program.length));
}
