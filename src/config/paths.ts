import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Settings } from './settings.ts';

/** The environment of the process, with the variables of `.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The paths in a home directory. */
export type HomePaths = {
  home: string;
  configFile: string;
  envFile: string;
  /** API keys and logins. */
  authFile: string;
  /** Cooldowns and use counts of credentials; contains no secrets and may be deleted. */
  authStateFile: string;
  logFile: string;
  /** The input history of chats. */
  historyFile: string;
  /** One folder for each plugin, and `node_modules` for plugins that are npm packages. */
  pluginsFolder: string;
  /** The shell hooks that the user has allowed. */
  allowedHooksFile: string;
  /** One folder for each custom context engine. */
  contextEnginesFolder: string;
  /** Full tool results that were too long for the model. */
  spillFolder: string;
  /** Downloaded model catalogues, and model facts from local servers. */
  catalogueFolder: string;
  /** The cached tool lists of MCP servers. */
  mcpCacheFolder: string;
  /** The cached tool lists of plugins. */
  shownNoticesFile: string;
  pluginToolsFile: string;
  /** Logins for MCP servers, one file each. */
  mcpTokensFolder: string;
  /** `MEMORY.md` and `USER.md`. */
  memoriesFolder: string;
  /** Records of background processes, so that they can be found after a crash. */
  processesFolder: string;
  /** The user's own skills and the installed ones. */
  skillsFolder: string;
  /** The cached contents of skill directories, so that they need not be read at every startup. */
  skillCacheFolder: string;
  /** The scan cache: texts without findings, which need not be scanned again. */
  scanCacheFolder: string;
  /** Downloaded skills that have not been accepted yet. */
  quarantineFolder: string;
  /** Deleted files that can be restored. */
  trashFolder: string;
  /** Checkpoints of working directories. */
  checkpointsFolder: string;
  /** Worktrees, with records of the sessions that use them. */
  worktreesFolder: string;
};

/** `$HERMES_HOME`, or `~/.hermes`; always absolute. */
export function resolveHome(env: EnvironmentVariables): string {
  const chosen = env['HERMES_HOME']?.trim();
  if (chosen === undefined || chosen === '') return join(userFolder(env), '.hermes');
  // Shells expand the tilde, but service files and container settings do not.
  if (chosen === '~' || chosen.startsWith('~/')) return resolve(join(userFolder(env), chosen.slice(1)));
  return resolve(chosen);
}

export function homePaths(home: string): HomePaths {
  // Joined by hand, because this is called about twenty times at startup and `home` is already absolute. Only the
  // root directory, or a home passed by a program, may end with a separator.
  const base = home.endsWith(sep) ? home.slice(0, -1) : home;
  const at = (...names: string[]) => [base, ...names].join(sep);
  return {
    home,
    configFile: at('config.yaml'),
    envFile: at('.env'),
    authFile: at('auth.json'),
    authStateFile: at('auth-state.json'),
    logFile: at('logs', 'agent.log'),
    historyFile: at('history'),
    pluginsFolder: at('plugins'),
    allowedHooksFile: at('allowed-hooks.json'),
    contextEnginesFolder: at('plugins', 'context_engine'),
    spillFolder: at('cache', 'tool-results'),
    catalogueFolder: at('cache', 'models'),
    mcpCacheFolder: at('cache', 'mcp'),
    shownNoticesFile: at('cache', 'shown-notices.json'),
    pluginToolsFile: at('cache', 'plugin-tools.json'),
    mcpTokensFolder: at('mcp-tokens'),
    memoriesFolder: at('memories'),
    processesFolder: at('processes'),
    skillsFolder: at('skills'),
    skillCacheFolder: at('cache', 'skills'),
    scanCacheFolder: at('cache', 'clean-texts'),
    quarantineFolder: at('quarantine'),
    trashFolder: at('trash'),
    checkpointsFolder: at('checkpoints'),
    worktreesFolder: at('worktrees'),
  };
}

function userFolder(env: EnvironmentVariables): string {
  return env['HOME'] || homedir();
}

/** Where the value of a variable comes from, for messages: `.env` takes precedence over the environment. */
export function variableLocation(settings: Pick<Settings, 'home' | 'savedVariables'>, name: string): string {
  const saved = settings.savedVariables?.has(name) === true;
  return `${name} in ${saved ? homePaths(settings.home).envFile : 'the environment'}`;
}
