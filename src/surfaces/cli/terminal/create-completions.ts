import type { SlashContext } from '../../slash/index.ts';
import type { Completions } from './completions.ts';

/** What can be completed in a chat: its commands and skills, and what some commands are about. */
export function createCompletions(context: SlashContext): Completions {
  const { registry, runtime, surface } = context;
  return {
    async commands() {
      const { skills } = await runtime.skills().inventory();
      const commands = registry.listCommands(surface).map(({ name, about }) => ({ value: name, about }));
      return [...commands, ...skills.map(({ name, description }) => ({ value: name, about: description }))];
    },
    argumentsOf: (command, typed) => registry.completeArgument(command, typed, context),
  };
}
