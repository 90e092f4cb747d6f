import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The variables a program was started with, and what `.env` adds to them. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Where everything of one installation lives. */
export type HomePaths = {
  home: string;
  configFile: string;
  envFile: string;
  /** Keys and logins. */
  authFile: string;
  /** Which of them rest, and how often each was used; nothing secret, and no loss. */
  authStateFile: string;
  logFile: string;
  /** What was typed in chats. */
  historyFile: string;
  /** One folder for each plugin, and `node_modules` with those that are packages. */
  pluginsFolder: string;
  /** Which commands of `hooks` the person has allowed. */
  allowedHooksFile: string;
  /** One folder for each context engine of one's own. */
  contextEnginesFolder: string;
  /** Whole tool results that were too long for the model. */
  spillFolder: string;
  /** What was fetched about models, and what local servers said of theirs. */
  catalogueFolder: string;
  /** The tools that servers had when they were last connected to. */
  mcpCacheFolder: string;
  /** The tools that plugins brought when they were last loaded. */
  pluginToolsFile: string;
  /** Logins at servers, one file each. */
  mcpTokensFolder: string;
  /** `MEMORY.md` and `USER.md`. */
  memoriesFolder: string;
  /** What runs in the background, so that it is found again after a kill. */
  processesFolder: string;
  /** The user's own skills, and those that were installed. */
  skillsFolder: string;
  /** What was found in places of skills, so that a start need not read them. */
  skillCacheFolder: string;
  /** Texts in which nothing was found, so that they are not scanned again. */
  cleanTextsFolder: string;
  /** Skills that were fetched and not yet accepted. */
  quarantineFolder: string;
  /** What was deleted and can be had back. */
  trashFolder: string;
  /** Files of working directories as they were. */
  checkpointsFolder: string;
  /** Worktrees of sessions, and which session each belongs to. */
  worktreesFolder: string;
};

/** `$HERMES_HOME`, else `~/.hermes`; always absolute. */
export function resolveHome(env: EnvironmentVariables): string {
  const chosen = env['HERMES_HOME']?.trim();
  if (chosen === undefined || chosen === '') return join(userFolder(env), '.hermes');
  // A shell expands the tilde, a service file or a container setting does not.
  if (chosen === '~' || chosen.startsWith('~/')) return join(userFolder(env), chosen.slice(1));
  return resolve(chosen);
}

export function homePaths(home: string): HomePaths {
  return {
    home,
    configFile: join(home, 'config.yaml'),
    envFile: join(home, '.env'),
    authFile: join(home, 'auth.json'),
    authStateFile: join(home, 'auth-state.json'),
    logFile: join(home, 'logs', 'agent.log'),
    historyFile: join(home, 'history'),
    pluginsFolder: join(home, 'plugins'),
    allowedHooksFile: join(home, 'allowed-hooks.json'),
    contextEnginesFolder: join(home, 'plugins', 'context_engine'),
    spillFolder: join(home, 'cache', 'tool-results'),
    catalogueFolder: join(home, 'cache', 'models'),
    mcpCacheFolder: join(home, 'cache', 'mcp'),
    pluginToolsFile: join(home, 'cache', 'plugin-tools.json'),
    mcpTokensFolder: join(home, 'mcp-tokens'),
    memoriesFolder: join(home, 'memories'),
    processesFolder: join(home, 'processes'),
    skillsFolder: join(home, 'skills'),
    skillCacheFolder: join(home, 'cache', 'skills'),
    cleanTextsFolder: join(home, 'cache', 'clean-texts'),
    quarantineFolder: join(home, 'quarantine'),
    trashFolder: join(home, 'trash'),
    checkpointsFolder: join(home, 'checkpoints'),
    worktreesFolder: join(home, 'worktrees'),
  };
}

function userFolder(env: EnvironmentVariables): string {
  return env['HOME'] || homedir();
}
