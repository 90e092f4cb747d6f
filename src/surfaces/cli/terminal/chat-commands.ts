import type { QuickCommand } from '../../../config/index.ts';
import {
  addPluginCommands,
  addQuickCommands,
  createSlashRegistry,
  isSlashCommand,
  SLASH_COMMANDS,
  type SlashContext,
} from '../../slash/index.ts';
import type { Style } from '../style.ts';

/** The slash commands of a chat, between turns and during a turn. */
export interface ChatCommands {
  readonly registry: SlashContext['registry'];
  /** Must be called once, when the chat is created. */
  bind(context: SlashContext): void;
  run(line: string): Promise<void>;
  /** Returns false for a line that is no command, or for a command that has to wait for the running turn. */
  handleDuringTurn(line: string): boolean;
}

export function createChatCommands(options: {
  terminal: { style: Style; print(text: string): void };
  quickCommands?: readonly QuickCommand[] | undefined;
  fault(thrown: unknown): void;
}): ChatCommands {
  const { terminal, quickCommands = [], fault } = options;
  const { style, print } = terminal;
  const registry = createSlashRegistry(SLASH_COMMANDS);
  let context: SlashContext | undefined;

  async function run(line: string): Promise<void> {
    if (context !== undefined) await registry.runSlashCommand(line, context);
  }

  return {
    registry,
    bind(chat) {
      context = chat;
      addQuickCommands({ registry, surface: 'terminal' }, quickCommands, (problem) =>
        print(`${style.yellow('!')} ${problem}\n`),
      );
      void addPluginCommands(chat).catch(fault);
    },
    run,
    handleDuringTurn(line) {
      const way = isSlashCommand(line) ? registry.duringTurn(line, 'terminal') : 'afterwards';
      if (way === 'afterwards') return false;
      if (way === 'immediately') void run(line).catch(fault);
      else
        print(
          style.yellow(
            `${line.split(/\s/, 1)[0]} cannot run during a turn. Wait for it to end, or interrupt it with /stop.\n`,
          ),
        );
      return true;
    },
  };
}
