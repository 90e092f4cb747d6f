import { quoteWord } from '../../../util/index.ts';
import { allCommands, type Candidates, type CommandNode } from './command-tree.ts';

/**
 * The commands as a function that bash and zsh both understand. For a command it sets `_hermes_commands` and
 * `_hermes_options` (`NAME<TAB>DESCRIPTION` lines), for an option or an argument `_hermes_wanted`: nothing for a switch,
 * else `=` and words, `@` and a kind, `file`, or `any`.
 */
export function lookUpFunctions(root: CommandNode): string {
  const commands = allCommands(root);
  return [
    '_hermes_describe() {\n  _hermes_commands= _hermes_options=\n  case "$1" in',
    ...commands.map(describeCase),
    '  esac\n}',
    '_hermes_option() {\n  _hermes_wanted=\n  case "$1" in',
    ...commands.flatMap(optionCases),
    '  esac\n}',
    '_hermes_argument() {\n  _hermes_wanted=any\n  case "$1 $2" in',
    ...commands.flatMap(argumentCases),
    '  esac\n}',
  ].join('\n');
}

function describeCase({ path, children, options }: CommandNode): string {
  const names = children.map(({ name, description }) => `${name}\t${description}`).join('\n');
  const flags = options.flatMap((option) => option.flags.map((flag) => `${flag}\t${option.description}`)).join('\n');
  return `    ${quoteWord(path)})\n      _hermes_commands=${quoteWord(names)}\n      _hermes_options=${quoteWord(flags)} ;;`;
}

function optionCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const patterns = flags.map((flag) => quoteWord(`${path} ${flag}`)).join('|');
    return [`    ${patterns}) _hermes_wanted=${quoteWord(writeCandidates(value))} ;;`];
  });
}

function argumentCases({ path, arguments: given, repeats }: CommandNode): string[] {
  return given.map((candidates, at) => {
    const position = repeats && at === given.length - 1 ? `${quoteWord(`${path} `)}[0-9]*` : quoteWord(`${path} ${at}`);
    return `    ${position}) _hermes_wanted=${quoteWord(writeCandidates(candidates))} ;;`;
  });
}

function writeCandidates(candidates: Candidates): string {
  if (candidates === 'files') return 'file';
  if (candidates === 'anything') return 'any';
  return 'words' in candidates ? `=${candidates.words.join('\n')}` : `@${candidates.lookUp}`;
}
