import { fastCommand, modelCommand, reasoningCommand, type SessionContext } from '../../../runtime/models/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { showable } from '../style.ts';
import type { ModelCommandName } from './slash-commands.ts';

const COMMANDS = { model: modelCommand, reasoning: reasoningCommand, fast: fastCommand };

/** Runs a command about the model of a session. What it says may hold words of others. */
export async function runModelCommand(
  name: ModelCommandName,
  context: SessionContext,
  argument: string,
): Promise<string> {
  const lines = await COMMANDS[name](context, argument);
  return lines.map((line) => `${showable(redactSecrets(line))}\n`).join('');
}
