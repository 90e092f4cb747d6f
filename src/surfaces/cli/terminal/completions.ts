import type { Completion, SlashContext } from '../../slash/index.ts';

/** What a chat knows about that can be typed. Each is asked only when somebody types something like it. */
export interface Completions {
  /** Slash commands and skills, without the slash. */
  commands(): Promise<readonly Completion[]>;
  /** What could be meant by the argument of a command as it is typed so far. */
  argumentsOf(command: string, typed: string): Promise<readonly Completion[]>;
}

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
