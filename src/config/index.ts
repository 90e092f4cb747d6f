export { normaliseUrl, findUrlProblem } from './endpoint-url.ts';
export type { ConfigChange } from './edit-config.ts';
export { readEnvFile, readIfPresent, updateEnvFile } from './env-file.ts';
export { loadSettings, type SettingsSources } from './load-settings.ts';
export {
  DEFAULT_DIAGNOSTICS,
  type DiagnosticsSettings,
  type LanguageServerSettings,
} from './language-server-settings.ts';
export type { McpServerSettings, ServerTls } from './mcp-settings.ts';
export { type EnvironmentVariables, homePaths, variableLocation, resolveHome } from './paths.ts';
export type { PluginSettings, ShellHookSettings } from './plugin-settings.ts';
export {
  chooseProfile,
  DEFAULT_PROFILE,
  forgetSavedProfile,
  listProfiles,
  profileHome,
  profileName,
  profileRoot,
  requireProfile,
  saveProfile,
} from './profiles.ts';
export type { BlockedSites } from './original-settings.ts';
export type { QuickCommand } from './quick-commands.ts';
export type { ProviderSettings, RequestOptions } from './request-settings.ts';
export { type DisplaySettings, type NotificationMode, readCheckpointSettings, THEMES } from './section-settings.ts';
export * from './settings.ts';
export type { SkillSettings } from './skill-settings.ts';
export { findImportLimits, type ImportLimits } from './import-limits.ts';
export { findStorage, type StorageSettings } from './storage-settings.ts';
export { DEFAULT_CONTAINER, withSandbox } from './terminal-settings.ts';
export { replaceConfig, updateConfig } from './update-config.ts';
