import type { AcpCommandOptions } from '../../acp/acp.ts';
import type { CommandCall, CommandRow } from '../command-row.ts';

/** The commands that other programs start. */
export const EDITOR_COMMANDS: readonly CommandRow[] = [
  {
    name: 'acp',
    group: 'Programs and editors:',
    about: 'serve an editor over the Agent Client Protocol, on standard input and output',
    summary: 'serve an editor over the Agent Client Protocol',
    options: [
      { form: '--check', about: 'check that an editor can use Hermes, and exit' },
      { form: '--setup', about: 'connect a model in this terminal, and exit' },
    ],
    notes:
      'An editor starts this command; docs/editors.md has the settings for Zed, JetBrains, Neovim and VS Code. Standard output carries only messages of the protocol; everything else goes to standard error and to the log. The command ends with its input.',
    examples: ['hermes acp --check', 'hermes acp'],
    run: async ({ options, io, signal, run }: CommandCall<AcpCommandOptions>) =>
      (await import('../../acp/acp.ts')).acpCommand(options, io, signal, run),
  },
];
