import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Settings } from './settings.ts';

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
  if (chosen === '~' || chosen.startsWith('~/')) return resolve(join(userFolder(env), chosen.slice(1)));
  return resolve(chosen);
}

export function homePaths(home: string): HomePaths {
  // A start asks a score of times for all of them. The home is a whole path already, so nothing has to be worked out,
  // but the root of the disk ends with a separator, and so may a home that a program gives.
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
    pluginToolsFile: at('cache', 'plugin-tools.json'),
    mcpTokensFolder: at('mcp-tokens'),
    memoriesFolder: at('memories'),
    processesFolder: at('processes'),
    skillsFolder: at('skills'),
    skillCacheFolder: at('cache', 'skills'),
    cleanTextsFolder: at('cache', 'clean-texts'),
    quarantineFolder: at('quarantine'),
    trashFolder: at('trash'),
    checkpointsFolder: at('checkpoints'),
    worktreesFolder: at('worktrees'),
  };
}

function userFolder(env: EnvironmentVariables): string {
  return env['HOME'] || homedir();
}

/** Where a variable gets its value, so that a person finds it: `.env` goes before the environment. */
export function placeOfVariable(settings: Pick<Settings, 'home' | 'savedVariables'>, name: string): string {
  const saved = settings.savedVariables?.has(name) === true;
  return `${name} in ${saved ? homePaths(settings.home).envFile : 'the environment'}`;
}
