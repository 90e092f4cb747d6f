import {
  addPluginCommands,
  createSlashRegistry,
  isSlashCommand,
  SLASH_COMMANDS,
  type SlashContext,
} from '../../slash/index.ts';
import type { Style } from '../style.ts';

/** The slash commands of a chat, between two turns and beside one. */
export interface ChatCommands {
  readonly registry: SlashContext['registry'];
  /** To be called once, when the chat is put together. */
  workOn(context: SlashContext): void;
  run(line: string): Promise<void>;
  /** False for a line that has to wait for the turn that runs, or is none of ours. */
  takeDuringTurn(line: string): boolean;
}

export function createChatCommands(options: {
  style: Style;
  print(text: string): void;
  fault(thrown: unknown): void;
}): ChatCommands {
  const { style, print, fault } = options;
  const registry = createSlashRegistry(SLASH_COMMANDS);
  let context: SlashContext | undefined;

  async function run(line: string): Promise<void> {
    if (context !== undefined) await registry.runSlashCommand(line, context);
  }

  return {
    registry,
    workOn(chat) {
      context = chat;
      void addPluginCommands(chat).catch(fault);
    },
    run,
    takeDuringTurn(line) {
      const way = isSlashCommand(line) ? registry.duringTurn(line, 'terminal') : 'afterwards';
      if (way === 'afterwards') return false;
      if (way === 'at once') void run(line).catch(fault);
      else print(style.yellow(`${line.split(/\s/, 1)[0]} has to wait until the turn is over; /stop ends it.\n`));
      return true;
    },
  };
}
