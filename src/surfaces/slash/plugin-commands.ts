import { errorMessage } from '../../base/index.ts';
import type { PluginCommand } from '../../contracts/index.ts';
import { printable } from '../text/style.ts';
import type { SlashCommand } from './slash-command.ts';
import type { SlashContext } from './slash-context.ts';

/**
 * Adds the commands of plugins to the registry of a chat once the plugins are loaded. The chat does not wait for it.
 */
export async function addPluginCommands({
  registry,
  runtime,
  print,
  style,
}: Pick<SlashContext, 'registry' | 'runtime' | 'print' | 'style'>): Promise<void> {
  const { plugins, logger } = runtime;
  await plugins.whenLoaded();
  for (const { plugin, command } of plugins.commands()) {
    try {
      registry.add(toSlashCommand(plugin, command));
    } catch (thrown) {
      const reason = errorMessage(thrown);
      logger.warn('plugin command rejected', { plugin, command: command.name, reason });
      print(`${style.yellow('!')} ${printable(`Plugin ${plugin}: ${reason}`)}\n`);
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
        print: (text: string) => print(printable(text)),
        send: (text: string) => turns.send(text),
      };
      try {
        const answer = await run(words, context);
        if (typeof answer === 'string' && answer !== '') print(`${printable(answer.trimEnd())}\n`);
      } catch (thrown) {
        // A failing plugin must not end the chat.
        runtime.logger.error('plugin command failed', { plugin, command: name }, thrown);
        print(style.red(printable(`/${name} of the plugin ${plugin} failed: ${errorMessage(thrown)}\n`)));
      }
    },
  } satisfies SlashCommand;
}
