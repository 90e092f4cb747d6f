import { Command } from 'commander';
import { addChatOptions, type RawChatOptions, toChatOptions } from './chat-arguments.ts';
import type { CliRequest } from './chat-options.ts';
import { examples } from './help/examples.ts';
import { refuseMistyped } from './help/refuse-mistyped.ts';
import { VERSION } from './version.ts';

export type FoundRequest = (request: CliRequest) => void;

const CHAT_EXAMPLES = examples('hermes -q "why does the build fail?"', 'git diff | hermes -z "write a commit message"');

/** The command line as far as it is about a chat: `hermes` with a prompt, or with none. */
export function describeProgram(found: FoundRequest): Command {
  const program = new Command('hermes')
    .description('An autonomous agent on your own machine. Without a prompt it opens a chat.')
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    // Options behind a command's name are that command's own.
    .enablePositionalOptions()
    .hook('preAction', (_, command) => passOnJson(command));
  return addChatOptions(program)
    .addHelpText('after', CHAT_EXAMPLES)
    .action((words: string[], raw: RawChatOptions) => {
      refuseMistyped(words);
      found({ kind: 'chat', options: toChatOptions(words, raw) });
    });
}

/** `hermes --json sessions list` asks for the same as `hermes sessions list --json`. */
function passOnJson(command: Command): void {
  const takesJson = command.options.some((option) => option.long === '--json');
  for (let above = command.parent; above !== null; above = above.parent) {
    if (above.opts()['json'] === true && takesJson) command.setOptionValue('json', true);
  }
}
