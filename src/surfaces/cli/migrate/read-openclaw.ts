import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import { homePaths } from '../../../config/index.ts';
import {
  findAttack,
  type MigrationStep,
  type Reading,
  readInstructions,
  readSkills,
  readText,
  skipOthers,
  skipped,
} from './migration.ts';
import { readServers } from './read-servers.ts';

/** Reads `~/.openclaw`: the files of its workspace, skills and MCP servers. */
export async function readOpenClaw(reading: Reading): Promise<MigrationStep[]> {
  const { home, folder, settings } = reading;
  const configFile = join(folder, 'openclaw.json');
  const config = await readConfig(configFile);
  const workspace = workspaceOf(config ?? {}, reading);
  const { memoriesFolder } = homePaths(home);
  const limits = settings.memory?.limits ?? {};
  const isBroken = config === undefined && existsSync(configFile);
  const mcp = config?.['mcp'];
  const servers = config?.['mcpServers'] ?? (isJsonObject(mcp) ? mcp['servers'] : undefined);
  return [
    ...(isBroken ? [skipped('setting', configFile, 'it is not valid JSON5')] : []),
    ...(await readFileStep('instructions', join(workspace, 'SOUL.md'), join(home, 'SOUL.md'))),
    ...(await readInstructions(join(workspace, 'AGENTS.md'), reading)),
    ...(await readFileStep('memory', join(workspace, 'MEMORY.md'), join(memoriesFolder, 'MEMORY.md'), limits.memory)),
    ...(await readFileStep('memory', join(workspace, 'USER.md'), join(memoriesFolder, 'USER.md'), limits.user)),
    ...(await readSkills(home, join(workspace, 'skills'))),
    ...(await readSkills(home, join(folder, 'skills'))),
    ...readServers(servers, configFile, reading),
    ...skipOthers(config ?? {}, configFile, { read: READ_KEYS, reasons: REASONS }),
  ];
}

function workspaceOf(config: JsonObject, { folder, userHome }: Reading): string {
  const { agents, agent } = config;
  const defaults = isJsonObject(agents) ? agents['defaults'] : agent;
  const named = isJsonObject(defaults) ? defaults['workspace'] : undefined;
  return typeof named === 'string' ? named.replace(/^~(?=\/|$)/, userHome) : join(folder, 'workspace');
}

/** The file is JSON5. Without its comments, it is also YAML, for which there is a parser. */
async function readConfig(file: string): Promise<JsonObject | undefined> {
  const text = (await readText(file)) ?? '';
  const plain = text.replace(
    /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\/\/[^\n]*|\/\*[^]*?\*\//g,
    (_, quoted?: string) => quoted ?? ' ',
  );
  const { parse } = await import('../../../util/yaml.ts');
  try {
    const value: unknown = parse(plain.replaceAll('\t', ' '));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readFileStep(
  kind: MigrationStep['kind'],
  from: string,
  to: string,
  limit = 20_000,
): Promise<MigrationStep[]> {
  const text = await readText(from);
  if (text === undefined) return [];
  const present = await readText(to);
  if (present !== undefined) {
    return [
      present === text ? { kind, from, to, outcome: 'present' } : skipped(kind, from, `${to} already has content`),
    ];
  }
  if (text.length > limit)
    return [skipped(kind, from, `it has ${text.length} characters, more than the limit of ${limit}`)];
  const attack = await findAttack(text);
  if (attack !== undefined) return [skipped(kind, from, attack)];
  return [{ kind, from, to, outcome: 'ready', file: { path: to, content: `${text}\n` } }];
}

const READ_KEYS = ['agents', 'agent', 'mcp', 'mcpServers', 'meta', 'wizard'];
const REASONS: Readonly<Record<string, string>> = {
  channels: 'tokens of chats are secrets; connect chats with `hermes gateway setup`',
  auth: 'credentials are not copied; use `hermes auth add`',
  models: 'choose a model with `hermes setup`',
  env: 'variables may be secrets; set those you need in .env',
};
