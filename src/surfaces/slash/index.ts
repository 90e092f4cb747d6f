export type {
  Completion,
  SlashCommand,
} from './slash-command.ts';
export { type BackgroundRuns, createBackgroundRuns, describeStopped } from './background-runs.ts';
export { type Job, listJobs } from './jobs.ts';
export type { PickItem, PickRequest } from './pick-request.ts';
export { createSessionPick } from './session-pick.ts';
export { addQuickCommands } from './quick-commands.ts';
export { addPluginCommands } from './plugin-commands.ts';
export type {
  LastCall,
  SlashChat,
  SlashContext,
  SlashSession,
  SlashTerminal,
  Verbosity,
} from './slash-context.ts';
export { SLASH_COMMANDS } from './slash-commands.ts';
export { createSlashRegistry, isSlashCommand, parseSlashLine, type SlashRegistry } from './slash-registry.ts';
