import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { addEndpointOptions } from '../model/describe-model-commands.ts';
import type { SetOptions } from '../model/model.ts';

type Json = { json?: boolean };
type Found = (run: CommandRun) => void;

/** The commands about the models that take over. Nothing of them is loaded before one runs. */
export function describeFallback(program: Command, found: Found, inFull: boolean): void {
  const fallback = program.command('fallback').description('the models that take over where the first one fails');
  if (!inFull) return;
  fallback
    .helpCommand(false)
    .addHelpText('after', examples('hermes fallback add ollama qwen3', 'hermes fallback list'));
  fallback
    .command('list')
    .description('show them in their order, and whether each can be opened')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes fallback list'))
    .action((options: Json) => found(async (io) => (await import('./fallback.ts')).listFallbacks(options, io)));
  addEndpointOptions(
    fallback
      .command('add')
      .description('add one at the end')
      .argument('<provider>', 'its name, or that of an endpoint of your own')
      .argument('<model>', 'the model'),
  )
    .option('--force', 'also a model that is not known')
    .option('--offline', 'ask nobody whether the model is there')
    .option('--json', 'answer with JSON')
    .addHelpText(
      'after',
      examples(
        'hermes fallback add openrouter anthropic/claude-sonnet-5',
        'hermes fallback add ollama qwen3 --offline',
      ),
    )
    .action((provider: string, model: string, options: SetOptions & Json) =>
      found(async (io) => (await import('./fallback.ts')).addFallback({ ...options, provider, model }, io)),
    );
  fallback
    .command('remove')
    .description('take one out')
    .argument('<which>', 'its number in the list, or PROVIDER/MODEL')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes fallback remove 1'))
    .action((which: string, options: Json) =>
      found(async (io) => (await import('./fallback.ts')).removeFallback(which, options, io)),
    );
  fallback
    .command('clear')
    .description('take all of them out')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes fallback clear'))
    .action((options: Json) => found(async (io) => (await import('./fallback.ts')).clearFallbacks(options, io)));
}
