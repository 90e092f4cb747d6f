export type {
  Completion,
  DuringTurn,
  SlashCommand,
  SlashCommandInfo,
  SlashExample,
  SlashGroup,
  SlashSurface,
} from './slash-command.ts';
export { type BackgroundRuns, createBackgroundRuns, describeStopped } from './background-runs.ts';
export { addPluginCommands } from './plugin-commands.ts';
export type {
  Compressed,
  LastCall,
  SlashChat,
  SlashContext,
  SlashSession,
  SlashTerminal,
  SlashTurns,
  Verbosity,
} from './slash-context.ts';
export { GROUP_HEADINGS } from './slash-command.ts';
export { SLASH_COMMANDS } from './slash-commands.ts';
export { createSlashRegistry, isSlashCommand, parseSlashLine, type SlashRegistry } from './slash-registry.ts';
