import type { Argument, Command, Option } from 'commander';
import { quoteShellWord } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { DynamicKind, Shell } from '../commands/groups/config-commands.ts';
import { buildFullProgram } from '../commands/table.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Writes the completion script for a shell, generated from the command definitions. */
export async function writeCompletion(shell: Shell, io: CliIo): Promise<number> {
  io.stdout.write(SCRIPTS[shell](toCommandTree(buildFullProgram())));
  return 0;
}

/** The possible values: fixed words, a dynamic lookup, file names, or anything. */
type Candidates = { words: readonly string[] } | { lookUp: DynamicKind } | 'files' | 'anything';

type CommandOption = {
  flags: readonly string[];
  description: string;
  /** Undefined for a boolean option. */
  value: Candidates | undefined;
};

/** A command with what a completion script needs. */
type CommandNode = {
  /** For example `hermes sessions list`. */
  path: string;
  name: string;
  description: string;
  options: readonly CommandOption[];
  arguments: readonly Candidates[];
  /** The last argument can be repeated. */
  repeats: boolean;
  children: readonly CommandNode[];
};

/** Maps the value names in the command definitions to candidates. */
const CANDIDATES_BY_VALUE_NAME: Readonly<Record<string, Candidates>> = {
  session: { lookUp: 'sessions' },
  model: { lookUp: 'models' },
  provider: { lookUp: 'providers' },
  profile: { lookUp: 'profiles' },
  server: { lookUp: 'servers' },
  'config-key': { lookUp: 'config-keys' },
  section: { lookUp: 'config-sections' },
  file: 'files',
  folder: 'files',
};

function toCommandTree(command: Command, above = ''): CommandNode {
  const path = `${above} ${command.name()}`.trimStart();
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    description: command.description(),
    options: help.visibleOptions(command).map(toOption),
    arguments: command.registeredArguments.map(candidatesOfArgument),
    repeats: command.registeredArguments.at(-1)?.variadic ?? false,
    // Hidden commands are for scripts.
    children: help.visibleCommands(command).map((child) => toCommandTree(child, path)),
  };
}

/** The tree as a list, parents before children. */
function allCommands(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(allCommands)];
}

function toOption(option: Option): CommandOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return { flags, description: option.description, value: option.isBoolean() ? undefined : candidatesOfOption(option) };
}

function candidatesOfOption(option: Option): Candidates {
  if (option.argChoices !== undefined) return { words: option.argChoices };
  const valueName = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '';
  // For `--model <name>`, the name of the option tells what is expected.
  return CANDIDATES_BY_VALUE_NAME[valueName] ?? CANDIDATES_BY_VALUE_NAME[option.name()] ?? 'anything';
}

function candidatesOfArgument(argument: Argument): Candidates {
  return argument.argChoices === undefined
    ? (CANDIDATES_BY_VALUE_NAME[argument.name()] ?? 'anything')
    : { words: argument.argChoices };
}

/**
 * Shell functions that work in both bash and zsh. `_hermes_describe` sets `_hermes_commands` and `_hermes_options`
 * (`NAME<TAB>DESCRIPTION` lines) for a command. The others set `_hermes_wanted` for an option or argument: empty for
 * a boolean option, otherwise `=` and words, `@` and a kind, `file`, or `any`.
 */
function completionFunctions(root: CommandNode): string {
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
  return `    ${quoteShellWord(path)})\n      _hermes_commands=${quoteShellWord(names)}\n      _hermes_options=${quoteShellWord(flags)} ;;`;
}

function optionCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const patterns = flags.map((flag) => quoteShellWord(`${path} ${flag}`)).join('|');
    return [`    ${patterns}) _hermes_wanted=${quoteShellWord(writeCandidates(value))} ;;`];
  });
}

function argumentCases({ path, arguments: given, repeats }: CommandNode): string[] {
  return given.map((candidates, at) => {
    const position =
      repeats && at === given.length - 1 ? `${quoteShellWord(`${path} `)}[0-9]*` : quoteShellWord(`${path} ${at}`);
    return `    ${position}) _hermes_wanted=${quoteShellWord(writeCandidates(candidates))} ;;`;
  });
}

function writeCandidates(candidates: Candidates): string {
  if (candidates === 'files') return 'file';
  if (candidates === 'anything') return 'any';
  return 'words' in candidates ? `=${candidates.words.join('\n')}` : `@${candidates.lookUp}`;
}

/** For bash 3.2 and later, without the bash-completion package. */
function bashScript(root: CommandNode): string {
  return `# Completion of hermes for bash: source <(hermes completion bash)
${completionFunctions(root)}
${BASH_COMPLETION}`;
}

const BASH_COMPLETION = String.raw`# Offers the lines that begin like the word, each as one word; the text after a tab is for other shells.
_hermes_offer() {
  local line
  while IFS= read -r line; do
    line=${'$'}{line%%$'\t'*}
    [[ -n $line && $line == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$line")")
  done <<< "$1"
}

_hermes_complete() {
  local cur=${'$'}{COMP_WORDS[COMP_CWORD]} path=hermes position=0 wanted= word i
  local _hermes_commands _hermes_options _hermes_wanted
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${'$'}{COMP_WORDS[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ -n $wanted ]]; then wanted=; continue; fi
    _hermes_describe "$path"
    if [[ $word == -?* ]]; then
      _hermes_option "$path $word"
      wanted=$_hermes_wanted
    elif [[ $position == 0 && $'\n'$_hermes_commands == *$'\n'"$word"$'\t'* ]]; then
      path="$path $word"
    else
      position=$((position + 1))
    fi
  done
  [[ $cur == = ]] && cur=
  if [[ -z $wanted ]]; then
    _hermes_describe "$path"
    if [[ $cur == -* ]]; then _hermes_offer "$_hermes_options"; return; fi
    [[ $position == 0 ]] && _hermes_offer "$_hermes_commands"
    _hermes_argument "$path" "$position"
    wanted=$_hermes_wanted
  fi
  case "$wanted" in
    '='*) _hermes_offer "${'$'}{wanted#=}" ;;
    '@'*) _hermes_offer "$("${'$'}{COMP_WORDS[0]/#\~/$HOME}" __complete "${'$'}{wanted#@}" 2>/dev/null)" ;;
  esac
}

# Where nothing is offered, files are.
complete -o bashdefault -o default -F _hermes_complete hermes
`;

/** For zsh with `compinit`; can be sourced, or saved in a directory of `fpath` as `_hermes`. */
function zshScript(root: CommandNode): string {
  return `#compdef hermes
# Completion of hermes for zsh: source <(hermes completion zsh)
${completionFunctions(root)}
${ZSH_COMPLETION}`;
}

const ZSH_COMPLETION = String.raw`# Offers lines of names and descriptions.
_hermes_offer() {
  local line
  local -a names texts
  for line in "${'$'}{(@f)2}"; do
    [[ -n $line ]] || continue
    names+=("${'$'}{line%%$'\t'*}")
    texts+=("${'$'}{line/$'\t'/  -- }")
  done
  (( $#names )) && compadd -V "$1" -l -d texts -a names
}

_hermes() {
  local cur=${'$'}{words[CURRENT]} place=hermes position=0 wanted= word i
  local _hermes_commands _hermes_options _hermes_wanted
  for ((i = 2; i < CURRENT; i++)); do
    word=${'$'}{words[i]}
    if [[ -n $wanted ]]; then wanted=; continue; fi
    _hermes_describe "$place"
    if [[ $word == -?* ]]; then
      _hermes_option "$place $word"
      wanted=$_hermes_wanted
    elif [[ $position == 0 && $'\n'$_hermes_commands == *$'\n'"$word"$'\t'* ]]; then
      place="$place $word"
    else
      position=$((position + 1))
    fi
  done
  if [[ -z $wanted ]]; then
    _hermes_describe "$place"
    if [[ $cur == -* ]]; then _hermes_offer options "$_hermes_options"; return; fi
    [[ $position == 0 ]] && _hermes_offer commands "$_hermes_commands"
    _hermes_argument "$place" "$position"
    wanted=$_hermes_wanted
  fi
  case "$wanted" in
    '='*) _hermes_offer values "${'$'}{wanted#=}" ;;
    '@'*) _hermes_offer values "$("${'$'}{(Q)words[1]/#\~/$HOME}" __complete "${'$'}{wanted#@}" 2>/dev/null)" ;;
    file) _files ;;
  esac
}

if [[ $funcstack[1] == _hermes ]]; then _hermes "$@"; else compdef _hermes hermes; fi
`;

/** For fish 3 and later. */
function fishScript(root: CommandNode): string {
  const commands = allCommands(root);
  return [
    '# Completion of hermes for fish: hermes completion fish > ~/.config/fish/completions/hermes.fish',
    `set -g __hermes_paths ${commands.map(({ path }) => quote(path)).join(' ')}`,
    FISH_FUNCTIONS,
    'complete -c hermes -e',
    'complete -c hermes -f',
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');
}

/** Finds the command before the cursor, and runs `hermes __complete` for dynamic values. */
const FISH_FUNCTIONS = `function __hermes_at
  set -l path hermes
  for word in (commandline -opc)[2..-1]
    if contains -- "$path $word" $__hermes_paths
      set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
function __hermes_list
  set -l words (commandline -opc)
  $words[1] __complete $argv[1] 2>/dev/null
end`;

function linesOf({ path, children, options, arguments: given }: CommandNode): string[] {
  const start = `complete -c hermes -n ${quote(`__hermes_at ${quote(path)}`)}`;
  const about = (description: string) => ` -d ${quote(description)}`;
  return [
    ...children.map(({ name, description }) => `${start} -a ${quote(name)}${about(description)}`),
    ...options.map(({ flags, description, value }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      return `${start} ${names.join(' ')}${value === undefined ? '' : ` -r${fishCandidates(value)}`}${about(description)}`;
    }),
    ...given.filter((one) => one !== 'anything').map((one) => `${start}${fishCandidates(one)}`),
  ];
}

function fishCandidates(candidates: Candidates): string {
  if (candidates === 'files') return ' -F';
  if (candidates === 'anything') return ' -f';
  if ('words' in candidates) return ` -f -a ${quote(candidates.words.join(' '))}`;
  return ` -f -a ${quote(`(__hermes_list ${candidates.lookUp})`)}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}
