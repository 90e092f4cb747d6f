import { errorMessage } from '../../base/index.ts';
import type { PluginCommand } from '../../contracts/index.ts';
import { showable } from '../text/style.ts';
import type { SlashCommand } from './slash-command.ts';
import type { SlashContext } from './slash-context.ts';

/** Puts the commands of plugins into the registry of a chat, as soon as they are loaded. Nobody waits for it. */
export async function addPluginCommands({ registry, runtime, print, style }: SlashContext): Promise<void> {
  const { plugins, logger } = runtime;
  await plugins.whenLoaded();
  for (const { plugin, command } of plugins.commands()) {
    try {
      registry.add(toSlashCommand(plugin, command));
    } catch (thrown) {
      const reason = errorMessage(thrown);
      logger.warn('a command of a plugin was not taken', { plugin, command: command.name, reason });
      print(`${style.yellow('!')} ${showable(`The plugin ${plugin}: ${reason}`)}\n`);
    }
  }
}

function toSlashCommand(plugin: string, { name, about, argument, duringTurn = 'afterwards', run }: PluginCommand) {
  return {
    name,
    group: 'tools',
    about: `${about} (${plugin})`,
    duringTurn,
    ...(argument !== undefined && { argument }),
    async run({ session, workingDirectory, print, turns, style, runtime }, words) {
      const context = {
        sessionId: session.id(),
        workingDirectory,
        print: (text: string) => print(showable(text)),
        send: (text: string) => turns.send(text),
      };
      try {
        const answer = await run(words, context);
        if (typeof answer === 'string' && answer !== '') print(`${showable(answer.trimEnd())}\n`);
      } catch (thrown) {
        // Code of others: a chat goes on whatever it does.
        runtime.logger.error('a command of a plugin failed', { plugin, command: name }, thrown);
        print(style.red(showable(`/${name} of the plugin ${plugin} failed: ${errorMessage(thrown)}\n`)));
      }
    },
  } satisfies SlashCommand;
}
