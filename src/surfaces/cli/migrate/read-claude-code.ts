import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import { findAttack, type MigrationStep, readSkills, readText, skipped } from './migration.ts';
import { readServers, type ServerOptions } from './read-servers.ts';

export type Reading = ServerOptions & {
  home: string;
  settings: Settings;
  /** The folder of the other program, and the home directory of the user. */
  folder: string;
  userHome: string;
};

/** Longer instructions would fill the context of every request. */
const MAX_INSTRUCTIONS = 12_000;

/** Reads `~/.claude`: instructions, skills, MCP servers, permission rules and settings. */
export async function readClaudeCode(reading: Reading): Promise<MigrationStep[]> {
  const { home, folder, userHome } = reading;
  const settingsFile = join(folder, 'settings.json');
  const [settings, state] = await Promise.all([readJson(settingsFile), readJson(join(userHome, '.claude.json'))]);
  return [
    ...(await readInstructions(join(folder, 'CLAUDE.md'), reading)),
    ...(await readSkills(home, join(folder, 'skills'))),
    ...readServers(state?.['mcpServers'], join(userHome, '.claude.json'), reading),
    ...readPermissions(settings?.['permissions'], reading),
    ...readOthers(settings ?? {}, settingsFile),
  ];
}

async function readJson(file: string): Promise<JsonObject | undefined> {
  const value = parseJson((await readText(file)) ?? '');
  return isJsonObject(value) ? value : undefined;
}

/** Instructions for all projects. Those of a project stay where they are, because Hermes reads them there. */
export async function readInstructions(file: string, { settings }: Reading): Promise<MigrationStep[]> {
  const text = await readText(file);
  if (text === undefined) return [];
  const [kind, to] = ['instructions', 'agent.system_prompt'] as const;
  if (settings.ephemeralSystemPrompt !== undefined) {
    const isSame = settings.ephemeralSystemPrompt === text;
    return [isSame ? { kind, from: file, to, outcome: 'present' } : skipped(kind, file, `${to} is already set`)];
  }
  if (text.length > MAX_INSTRUCTIONS)
    return [skipped(kind, file, `it has ${text.length} characters; at most ${MAX_INSTRUCTIONS} are imported`)];
  const attack = await findAttack(text);
  if (attack !== undefined) return [skipped(kind, file, attack)];
  return [{ kind, from: file, to, outcome: 'ready', changes: [{ path: ['agent', 'system_prompt'], value: text }] }];
}

const BASH_RULE = /^Bash\((.+)\)$/;

function readPermissions(permissions: JsonValue | undefined, { settings }: Reading): MigrationStep[] {
  if (!isJsonObject(permissions)) return [];
  const lists = [
    { name: 'allow', key: 'command_allowlist', path: ['command_allowlist'], present: settings.commandAllowlist },
    { name: 'deny', key: 'approvals.deny', path: ['approvals', 'deny'], present: settings.approvals.deny ?? [] },
  ];
  const steps = lists.flatMap(({ name, key, path, present }) =>
    textsIn(permissions[name]).map((rule): MigrationStep => {
      const from = `permissions.${name}: ${rule}`;
      const pattern = toPattern(rule);
      if (pattern === undefined) return skipped('permission', from, 'only rules for Bash with a command are imported');
      const to = `${key}: ${pattern}`;
      if (present.includes(pattern)) return { kind: 'permission', from, to, outcome: 'present' };
      return { kind: 'permission', from, to, outcome: 'ready', changes: [{ path, add: pattern }] };
    }),
  );
  const asked = textsIn(permissions['ask']).map((rule) =>
    skipped('permission', `permissions.ask: ${rule}`, 'Hermes decides itself which commands need approval'),
  );
  return [...steps, ...asked, ...readMode(permissions, settings), ...readFolders(permissions, settings)];
}

/** `Bash(npm run test:*)` becomes `npm run test *`. A rule for every command would allow everything. */
function toPattern(rule: string): string | undefined {
  const command = BASH_RULE.exec(rule)?.[1]?.trim().replace(/:\*$/, ' *');
  return command === undefined || /^[*?\s]*$/.test(command) ? undefined : command;
}

function readMode({ defaultMode: mode }: JsonObject, { approvals }: Settings): MigrationStep[] {
  if (typeof mode !== 'string') return [];
  const [kind, from] = ['setting', `permissions.defaultMode: ${mode}`] as const;
  if (mode !== 'plan')
    return [skipped(kind, from, 'Hermes has no such mode; see `hermes config explain approvals.mode`')];
  const to = 'approvals.plan_mode: true';
  if (approvals.planMode === true) return [{ kind, from, to, outcome: 'present' }];
  return [{ kind, from, to, outcome: 'ready', changes: [{ path: ['approvals', 'plan_mode'], value: true }] }];
}

function readFolders({ additionalDirectories }: JsonObject, { approvals }: Settings): MigrationStep[] {
  return textsIn(additionalDirectories).map((folder): MigrationStep => {
    const from = `permissions.additionalDirectories: ${folder}`;
    const to = `approvals.workspace_roots: ${folder}`;
    if (approvals.workspaceRoots?.includes(folder)) return { kind: 'permission', from, to, outcome: 'present' };
    const changes = [{ path: ['approvals', 'workspace_roots'], add: folder }];
    return { kind: 'permission', from, to, outcome: 'ready', changes };
  });
}

const REASONS: Readonly<Record<string, string>> = {
  hooks: 'hooks run code; add them with `hermes hooks`',
  env: 'variables may be secrets; set those you need in .env',
  apiKeyHelper: 'credentials are not copied; use `hermes auth add`',
  model: 'choose a model with `hermes setup`',
};

function readOthers(settings: JsonObject, file: string): MigrationStep[] {
  return Object.keys(settings)
    .filter((key) => key !== 'permissions' && !key.startsWith('$'))
    .map((key) => skipped('setting', `${key} in ${file}`, REASONS[key] ?? 'Hermes has no such setting'));
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.flatMap((one) => (typeof one === 'string' ? [one] : [])) : [];
}
