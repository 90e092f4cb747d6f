import { allCommands, type Candidates, type CommandNode } from './command-tree.ts';

/** For fish 3. */
export function fishScript(root: CommandNode): string {
  const commands = allCommands(root);
  return [
    '# Completion of hermes for fish: hermes completion fish > ~/.config/fish/completions/hermes.fish',
    `set -g __hermes_paths ${commands.map(({ path }) => quote(path)).join(' ')}`,
    WALK,
    'complete -c hermes -e',
    'complete -c hermes -f',
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');
}

/** Finds the command that the words before the cursor lead to, and asks the same program what to offer. */
const WALK = `function __hermes_at
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
      return `${start} ${names.join(' ')}${value === undefined ? '' : ` -r${offer(value)}`}${about(description)}`;
    }),
    ...given.filter((one) => one !== 'anything').map((one) => `${start}${offer(one)}`),
  ];
}

function offer(candidates: Candidates): string {
  if (candidates === 'files') return ' -F';
  if (candidates === 'anything') return ' -f';
  if ('words' in candidates) return ` -f -a ${quote(candidates.words.join(' '))}`;
  return ` -f -a ${quote(`(__hermes_list ${candidates.lookUp})`)}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}
