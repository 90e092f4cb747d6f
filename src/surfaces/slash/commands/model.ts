import { fastCommand, modelCommand, reasoningCommand } from '../../../runtime/models/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { printable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

const COMMANDS = { model: modelCommand, reasoning: reasoningCommand, fast: fastCommand };

/**
 * Runs a command about the model of a session. Its output may contain text of providers, so it is escaped and
 * redacted.
 */
export async function runModelCommand(
  name: keyof typeof COMMANDS,
  { runtime, session, print }: SlashContext,
  argument: string,
): Promise<void> {
  const lines = await COMMANDS[name]({ runtime, opened: session.opened() }, argument);
  print(lines.map((line) => `${printable(redactSecrets(line))}\n`).join(''));
}
