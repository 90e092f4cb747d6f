import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../base/index.ts';
import type { ConfigChange, Settings } from '../../../config/index.ts';
import { describeFindings, scanText } from '../../../scanning/index.ts';
import { inspectSkill } from '../../../skills/installing/index.ts';

/** One thing that another program has, and what a migration does about it. */
export type MigrationStep = {
  kind: 'instructions' | 'memory' | 'skill' | 'server' | 'permission' | 'setting';
  /** What it is there and, if it is imported, here. */
  from: string;
  to?: string;
  /** `ready` to be imported, `present` here already, or `skipped` or `failed` for the given reason. */
  outcome: 'ready' | 'present' | 'skipped' | 'failed';
  reason?: string;
  changes?: readonly ConfigChange[];
  /** Values for `.env`, by the name of the variable. */
  secrets?: Readonly<Record<string, string>>;
  file?: { path: string; content: string };
  skillFolder?: string;
};

export const skipped = (kind: MigrationStep['kind'], from: string, reason: string): MigrationStep => ({
  kind,
  from,
  outcome: 'skipped',
  reason,
});

export type ServerOptions = {
  /** The servers that the configuration has already. */
  present: readonly string[];
  /** Whether secrets are copied to `.env`; otherwise only the variable is named. */
  copiesSecrets: boolean;
};

export type Reading = ServerOptions & {
  home: string;
  settings: Settings;
  /** The folder of the other program, and the home directory of the user. */
  folder: string;
  userHome: string;
};

/** Longer instructions would fill the context of every request. */
const MAX_INSTRUCTIONS = 12_000;

/** The settings that no step reads, each with the reason. */
export function skipOthers(
  settings: JsonObject,
  file: string,
  { read, reasons }: { read: readonly string[]; reasons: Readonly<Record<string, string>> },
): MigrationStep[] {
  return Object.keys(settings)
    .filter((key) => !read.includes(key) && !key.startsWith('$'))
    .map((key) => skipped('setting', `${key} in ${file}`, reasons[key] ?? 'Hermes has no such setting'));
}

/** The text of a file; undefined if it does not exist or is empty. */
export async function readText(file: string): Promise<string | undefined> {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  return text === '' ? undefined : text;
}

/** Why text must not become part of the prompt; undefined if nothing was found. */
export async function findAttack(text: string): Promise<string | undefined> {
  const findings = await scanText(text, 'context');
  return findings.length === 0 ? undefined : `it looks like an attack: ${describeFindings(findings)}`;
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

/** The skills in a folder, scanned as an installation does. Only one that is safe is imported without a question. */
export async function readSkills(home: string, folder: string): Promise<MigrationStep[]> {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const found = names.map(({ name }) => join(folder, name)).filter((path) => existsSync(join(path, 'SKILL.md')));
  return Promise.all(found.map((path) => readSkill(home, path)));
}

async function readSkill(home: string, folder: string): Promise<MigrationStep> {
  try {
    const { facts, verdict } = await inspectSkill(home, { folder });
    const target = join(home, 'skills', facts.name);
    if (existsSync(target)) return { kind: 'skill', from: folder, to: target, outcome: 'present' };
    if (verdict === 'safe') return { kind: 'skill', from: folder, to: target, outcome: 'ready', skillFolder: folder };
    const reason = `the security scan rated it ${verdict}; review it and install it with: hermes skills install ${folder}`;
    return skipped('skill', folder, reason);
  } catch (thrown) {
    return skipped('skill', folder, thrown instanceof Error ? thrown.message : String(thrown));
  }
}
