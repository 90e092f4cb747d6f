import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseNames } from '../parse-names.ts';
import type { PromptSizeOptions } from './prompt-size.ts';

export function describePromptSize(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const promptSize = program
    .command('prompt-size')
    .description('show what every call to a model carries, piece by piece')
    .summary('what every call to a model carries, piece by piece');
  if (!inFull) return;
  promptSize
    .option('-t, --toolsets <names>', 'as if these tool sets were asked for', parseNames)
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes prompt-size', 'hermes prompt-size --toolsets file,terminal'))
    .action((options: PromptSizeOptions) =>
      found(async (io) => (await import('./prompt-size.ts')).showPromptSize(options, io)),
    );
}
