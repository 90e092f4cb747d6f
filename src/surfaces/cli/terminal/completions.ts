import type { Completion, SlashContext } from '../../slash/index.ts';

/** Completions for the input line. Each method is called only when the user types something that it could complete. */
export interface Completions {
  /** Slash commands and skills, without the leading slash. */
  commands(): Promise<readonly Completion[]>;
  /** Completions for the argument of a command, given what was typed so far. */
  completeArgument(command: string, typed: string): Promise<readonly Completion[]>;
}

/** Completes the commands and skills of a chat, and the arguments of some commands. */
export function createCompletions(context: SlashContext): Completions {
  const { registry, runtime, surface } = context;
  return {
    async commands() {
      const { skills } = await runtime.skills().inventory();
      const commands = registry.listCommands(surface).map(({ name, about }) => ({ value: name, about }));
      return [...commands, ...skills.map(({ name, description }) => ({ value: name, about: description }))];
    },
    completeArgument: (command, typed) => registry.completeArgument(command, typed, context),
  };
}
