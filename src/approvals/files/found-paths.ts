import { optionValues, type ShellCommand, type Source } from '../shell/shell-command.ts';
import { unwrap } from '../shell/unwrap.ts';
import { isComputed } from '../shell/words.ts';
import { hasOption } from './path-argument.ts';
import { takesNames, usesNamesOnly } from './read-arguments.ts';

/** Programs that print the names in their arguments. */
const LISTERS = /^(?:ls|echo|printf|realpath|readlink|dir|eza)$/;
/** Parts of a path filter that suggest credentials or protected files. */
const SENSITIVE =
  /ssh|aws|cred|key|secret|token|hermes|gnupg|netrc|kube|docker|config|bash|zsh|profile|\bid_|^\*?\/?\*?$/i;
const ACTIONS = /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;

/**
 * Commands with the file names that another command finds for them: `find … -exec`, `find … | xargs`, `$(ls …)`. The
 * names are patterns.
 */
export function commandsWithFoundNames(command: ShellCommand): ShellCommand[] {
  const { name, args, fedBy, input } = command;
  if (/^(?:find|fd|fdfind)$/.test(name)) return actionCommands(command);
  if (input !== undefined) return commandsWithInputNames(command, input);
  if (fedBy.length === 0 || usesNamesOnly(name)) return [];
  const computed = args.some(isComputed) || command.redirects.some(({ target }) => isComputed(target));
  if (!computed && !takesNames(command)) return [];
  const mark = markOf(command.statement);
  return fedBy.flatMap((source) => {
    const names = namesFrom(source);
    return names.length === 0
      ? []
      : [
          {
            ...command,
            args: withNames(args, names, mark),
            directory: source.directory,
            fedBy: [],
            redirects: [],
          },
        ];
  });
}

/** The text that `xargs -I` replaces by a name. */
function markOf(statement: string): string | undefined {
  return /(?:^|\s)(?:xargs|parallel)\s(?:.*?\s)?(?:-I\s*|--replace=)(\S+)/
    .exec(statement)?.[1]
    ?.replace(/^'(.*)'$/, '$1');
}

/** The names replace the mark; without one they follow the other arguments. */
function withNames(args: readonly string[], names: readonly string[], mark: string | undefined): string[] {
  if (mark !== undefined && mark !== '' && args.some((arg) => arg.includes(mark)))
    return args.flatMap((arg) => (arg.includes(mark) ? names.map((name) => arg.replaceAll(mark, name)) : [arg]));
  return [...args.filter((arg) => !isComputed(arg)), ...names];
}

/** File names in input that is known: for `zip -@` and `cpio -o`, and after `put` for sftp. */
function commandsWithInputNames(command: ShellCommand, input: string): ShellCommand[] {
  const sent = /^(?:sftp|ftp|lftp)$/.test(command.name);
  if (!sent && !takesNames(command)) return [];
  const names = sent
    ? [...input.matchAll(/^\s*m?put\s+(?:-\w+\s+)*(\S+)/gm)].map((found) => found[1] ?? '')
    : input.split(/\s+/).filter((name) => name !== '');
  return [
    {
      ...command,
      name: sent ? 'scp' : command.name,
      args: sent ? [...names, 'host:'] : [...command.args, ...names],
      input: undefined,
    },
  ];
}

/** `sudo cat {}` reads what `cat {}` reads. */
function withoutWrapper(words: readonly string[]): readonly string[] {
  const [inner] = unwrap(words, undefined);
  return inner !== undefined && 'words' in inner && inner.words.length < words.length
    ? withoutWrapper(inner.words)
    : words;
}

/** The commands that `find` runs, with the pattern of the names in place of `{}`. */
function actionCommands(command: ShellCommand): ShellCommand[] {
  const { args } = command;
  const found = namesFrom(command);
  if (found.length === 0) return [];
  return args.flatMap((arg, index) => {
    if (!ACTIONS.test(arg)) return [];
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word === ';' || word === '+');
    const [name = '', ...given] = withoutWrapper(end < 0 ? rest : rest.slice(0, end));
    const words = given.flatMap((word) => (word === '{}' ? found : [word]));
    return [
      {
        ...command,
        name: name.slice(name.lastIndexOf('/') + 1),
        args: given.includes('{}') ? words : [...words, ...found],
      },
    ];
  });
}

function namesFrom({ name, args }: Pick<Source, 'name' | 'args'>): string[] {
  if (LISTERS.test(name)) return args.filter((arg) => !arg.startsWith('-') && /[/.*~]/.test(arg));
  if (name === 'find') return namesFromFind(args);
  if (name === 'fd' || name === 'fdfind') return namesFromFd(args);
  if (name === 'mdfind') return optionValues(args, /^-name(.*)$/).map((one) => `/**/*${one}*`);
  if (/^(?:p|m)?locate$/.test(name)) return args.filter((arg) => !arg.startsWith('-')).map((arg) => `/**/*${arg}*`);
  return [];
}

function namesFromFind(args: readonly string[]): string[] {
  const tests = args.findIndex((arg) => /^[-(!]/.test(arg));
  const starts = tests < 0 ? args : args.slice(0, tests);
  const names = args.filter(
    (_, index) => /^-i?name$/.test(args[index - 1] ?? '') && !/^(?:!|-not)$/.test(args[index - 2] ?? ''),
  );
  const paths = optionValues(args, /^-(?:i?path|i?wholename|i?regex)()$/);
  if (names.length === 0 && paths.length > 0 && !paths.some((path) => SENSITIVE.test(path))) return [];
  const endings = names.length === 0 ? ['**'] : names.map((found) => `**/${found}`);
  return (starts.length === 0 ? ['.'] : starts).flatMap((start) => endings.map((ending) => `${start}/${ending}`));
}

/** fd skips hidden files unless an option includes them. */
function namesFromFd(args: readonly string[]): string[] {
  const end = args.findIndex((arg) => ACTIONS.test(arg));
  const given = end < 0 ? args : args.slice(0, end);
  const [pattern = '', ...starts] = given.filter(
    (arg, index) => !arg.startsWith('-') && !/^-[edtEc]$/.test(given[index - 1] ?? ''),
  );
  const hidden = hasOption(given, 'Hu', /^--(?:hidden|unrestricted)/);
  const roots = starts.length === 0 ? ['.'] : starts;
  return roots
    .filter((root) => hidden || /\/\./.test(root))
    .map((root) => (/^\.?$/.test(pattern) ? `${root}/**` : `${root}/**/*${pattern.replace(/[\^$\\]/g, '')}*`));
}
