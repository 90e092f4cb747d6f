import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import {
  type MigrationStep,
  type Reading,
  readInstructions,
  readSkills,
  readText,
  skipOthers,
  skipped,
} from './migration.ts';
import { readServers } from './read-servers.ts';

const NOT_VALID = 'it is not valid JSON';

/** Reads `~/.claude`: instructions, skills, MCP servers, permission rules and settings. */
export async function readClaudeCode(reading: Reading): Promise<MigrationStep[]> {
  const { home, folder, userHome } = reading;
  const [settingsFile, stateFile] = [join(folder, 'settings.json'), join(userHome, '.claude.json')];
  const [read, state] = await Promise.all([readJson(settingsFile), readJson(stateFile)]);
  const settings = read ?? {};
  return [
    ...(read === undefined ? [skipped('setting', settingsFile, NOT_VALID)] : []),
    ...(state === undefined ? [skipped('server', stateFile, NOT_VALID)] : []),
    ...(await readInstructions(join(folder, 'CLAUDE.md'), reading)),
    ...(await readSkills(home, join(folder, 'skills'))),
    ...readServers(state?.['mcpServers'], stateFile, reading),
    ...readPermissions(settings['permissions'], reading),
    ...skipOthers(settings, settingsFile, { read: ['permissions'], reasons: REASONS }),
  ];
}

/** The object in a file; empty if there is no file, and undefined if it is not valid. */
async function readJson(file: string): Promise<JsonObject | undefined> {
  const text = await readText(file);
  if (text === undefined) return {};
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
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

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.flatMap((one) => (typeof one === 'string' ? [one] : [])) : [];
}
