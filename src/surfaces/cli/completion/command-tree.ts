import type { Argument, Command, Option } from 'commander';

/** What can be asked for while somebody types. */
export const DYNAMIC_KINDS = [
  'sessions',
  'models',
  'providers',
  'config-keys',
  'config-sections',
  'profiles',
  'servers',
] as const;
export type DynamicKind = (typeof DYNAMIC_KINDS)[number];

/** What stands at a place: one of these words, something that is looked up, a file, or anything. */
export type Candidates = { words: readonly string[] } | { lookUp: DynamicKind } | 'files' | 'anything';

export type CommandOption = {
  flags: readonly string[];
  description: string;
  /** Undefined for a switch. */
  value: Candidates | undefined;
};

/** A command as a shell has to know it. */
export type CommandNode = {
  /** `hermes sessions list`. */
  path: string;
  name: string;
  description: string;
  options: readonly CommandOption[];
  arguments: readonly Candidates[];
  /** The last argument can be repeated. */
  repeats: boolean;
  children: readonly CommandNode[];
};

/** By the names that the definitions give to values. */
const BY_NAME: Readonly<Record<string, Candidates>> = {
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

export function toCommandTree(command: Command, above = ''): CommandNode {
  const path = `${above} ${command.name()}`.trimStart();
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    description: command.description(),
    options: help.visibleOptions(command).map(toOption),
    arguments: command.registeredArguments.map(candidatesOfArgument),
    repeats: command.registeredArguments.at(-1)?.variadic ?? false,
    // Hidden ones are for programs.
    children: help.visibleCommands(command).map((child) => toCommandTree(child, path)),
  };
}

/** The tree as a list, each command before those inside of it. */
export function allCommands(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(allCommands)];
}

function toOption(option: Option): CommandOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return { flags, description: option.description, value: option.isBoolean() ? undefined : candidatesOfOption(option) };
}

function candidatesOfOption(option: Option): Candidates {
  if (option.argChoices !== undefined) return { words: option.argChoices };
  const valueName = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '';
  // `--model <name>` says with its own name what is wanted.
  return BY_NAME[valueName] ?? BY_NAME[option.name()] ?? 'anything';
}

function candidatesOfArgument(argument: Argument): Candidates {
  return argument.argChoices === undefined ? (BY_NAME[argument.name()] ?? 'anything') : { words: argument.argChoices };
}
