import { type Command, InvalidArgumentError } from 'commander';
import { parseCount } from '../parse-count.ts';

/** How the agents of a run are made, on one machine or on many. */
export function addAgentOptions(command: Command): Command {
  return command
    .option('--model <name>', 'the model that all prompts are given to')
    .option('--provider <name>', 'who offers it')
    .option('--distribution <name>', 'how tool sets are drawn for each prompt: a name, or a JSON file')
    .option('--seed <number>', 'another draw of tool sets (0 without it)', parseSeed)
    .option('--max-turns <number>', 'steps per prompt (10 without it)', parseCount)
    .option('--ephemeral-system-prompt <text>', 'added to the system prompt, and not saved')
    .option('--prefill <file>', 'messages before each prompt, as a JSON list, and not saved')
    .option('--redact', 'take secrets out of what is saved')
    .option('--verbose', 'write more into the log of the run');
}

export function parseDollars(text: string): number {
  const amount = Number(text.replace(/^\$/, ''));
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidArgumentError('It must be an amount of dollars above 0, such as 2.50.');
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new InvalidArgumentError('It must be a whole number, 0 or more.');
}
