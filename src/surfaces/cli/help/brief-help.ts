import type { Command, Option } from 'commander';

/** What most people need of a chat; `hermes chat --help` has all of it. */
const COMMON = ['query', 'final', 'continue', 'resume', 'model', 'provider', 'yolo', 'profile', 'version', 'help'];

/** `hermes --help` names every command in one line and fits a screen. The others show all that they take. */
export function showBriefly(program: Command): void {
  const help = program.createHelp();
  program.configureHelp({
    visibleOptions: (command) => help.visibleOptions(command).filter(isCommon),
    visibleArguments: () => [],
    subcommandTerm: (command) => command.name(),
  });
}

function isCommon(option: Option): boolean {
  return COMMON.includes(option.name());
}
