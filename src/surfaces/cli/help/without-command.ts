import type { Command } from 'commander';
import { nearestNames } from '../../../util/index.ts';

/** What a command with sub-commands does where none is named. Any other word is still taken for a mistyped one. */
export function actWithoutCommand(command: Command, act: () => void): Command {
  return command.allowExcessArguments().action(() => {
    const [word] = command.args;
    if (word === undefined) return act();
    const names = command.commands.map((child) => child.name());
    const [near] = nearestNames(word, names, 1);
    return command.error(`error: unknown command '${word}'${near === undefined ? '' : `\n(Did you mean ${near}?)`}`);
  });
}
