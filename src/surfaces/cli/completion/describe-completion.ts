import { Argument, type Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { DYNAMIC_KINDS, type DynamicKind } from './command-tree.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const EXAMPLES = `
Put one of these into the start file of your shell:
  source <(hermes completion bash)        # ~/.bashrc
  source <(hermes completion zsh)         # ~/.zshrc, behind compinit
  hermes completion fish | source         # ~/.config/fish/config.fish`;

export function describeCompletion(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const completion = program
    .command('completion')
    .description('write a script that completes commands, options, sessions and models in your shell')
    .summary('complete words in bash, zsh or fish');
  if (!inFull) return;
  completion
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => found(async (io) => (await import('./completion.ts')).writeCompletion(shell, io)));
  program
    .command('__complete', { hidden: true })
    .description('list what a completion script offers')
    .addArgument(new Argument('<kind>', 'what is wanted').choices(DYNAMIC_KINDS))
    .action((kind: DynamicKind) => found(async (io) => (await import('./look-up.ts')).writeLookUp(kind, io)));
}
