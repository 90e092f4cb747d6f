import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigurationError, errorMessage } from '../../../base/index.ts';
import { loadSettings, resolveHome, updateConfig, updateEnvFile } from '../../../config/index.ts';
import { prepareInstall } from '../../../skills/installing/index.ts';
import { ensurePrivateFolder, redactSecrets, writeFileAtomic } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import type { CommandCall } from '../commands/command-row.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';
import type { MigrationStep } from './migration.ts';
import { readClaudeCode } from './read-claude-code.ts';
import { readOpenClaw } from './read-openclaw.ts';

export type MigrateFromOptions = { apply?: boolean; secrets?: boolean; source?: string; json?: boolean };

/** The programs whose data can be imported, and where they keep it. */
const PROGRAMS = {
  'claude-code': { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR', read: readClaudeCode },
  openclaw: { folder: '.openclaw', variable: 'OPENCLAW_STATE_DIR', read: readOpenClaw },
} as const;

type Program = keyof typeof PROGRAMS;

/** Shows what another program has that can be imported, and imports it with `--apply`. Nothing there is changed. */
export async function migrateFrom(
  program: string,
  { apply = false, secrets = false, source, json }: MigrateFromOptions,
  { io, signal }: Pick<CommandCall, 'io' | 'signal'>,
): Promise<number> {
  const { env, workingDirectory } = io;
  const { folder: name, variable, read } = PROGRAMS[program as Program];
  const userHome = env['HOME'] || homedir();
  const folder = resolve(workingDirectory, source ?? (env[variable] || join(userHome, name)));
  if (!existsSync(folder)) {
    throw new ConfigurationError(`There is nothing to import: ${folder} does not exist.`, {
      hint: 'Name the folder with --source.',
    });
  }
  const home = resolveHome(env);
  const settings = await loadSettings({ home, env });
  const present = Object.keys(settings.mcpServers ?? {});
  const steps = await read({ home, settings, folder, userHome, present, copiesSecrets: secrets });
  const done = apply ? await applySteps(steps, { home, workingDirectory, env, signal }) : steps;
  if (json) writeJson(io.stdout, { from: program, folder, applied: apply, steps: done.map(toRecord) });
  else io.stdout.write(format(done, folder, apply, createStyle(io.stdout, env)));
  return done.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

type Place = { home: string; workingDirectory: string; env: CommandCall['io']['env']; signal: AbortSignal };

/** Imports one thing after the other. A failed one is reported and does not prevent the others. */
async function applySteps(steps: readonly MigrationStep[], place: Place): Promise<MigrationStep[]> {
  const done: MigrationStep[] = [];
  for (const step of steps) {
    place.signal.throwIfAborted();
    try {
      if (step.outcome === 'ready') await applyStep(step, place);
      done.push(step);
    } catch (thrown) {
      place.signal.throwIfAborted();
      done.push({ ...step, outcome: 'failed', reason: `it could not be imported: ${errorMessage(thrown)}` });
    }
  }
  return done;
}

async function applyStep({ changes, secrets, file, skillFolder }: MigrationStep, place: Place): Promise<void> {
  const { home } = place;
  // Saved first, so that config.yaml never refers to a variable that is missing.
  if (secrets !== undefined) await updateEnvFile(home, secrets);
  if (changes !== undefined) await updateConfig(home, changes);
  if (file !== undefined) {
    await ensurePrivateFolder(dirname(file.path));
    await writeFileAtomic(file.path, file.content);
  }
  if (skillFolder === undefined) return;
  const candidate = await prepareInstall({ ...place, source: skillFolder });
  // The folder may have changed since the preview.
  if (candidate.verdict !== 'safe') throw new Error(`the security scan rated it ${candidate.verdict}`);
  if (candidate.replaces !== undefined) throw new Error(`${candidate.replaces} has the same name`);
  await candidate.accept();
}

/** Without the values of secrets. */
function toRecord({ kind, from, to, outcome, reason }: MigrationStep) {
  const clean = (text: string | undefined) => text && redactSecrets(text);
  return { kind, from: clean(from), to: clean(to), outcome, reason: clean(reason) };
}

function format(steps: readonly MigrationStep[], folder: string, applied: boolean, style: Style): string {
  const marks = {
    ready: style.green('+'),
    present: style.dim('='),
    skipped: style.yellow('-'),
    failed: style.red('!'),
  };
  const lines = steps.map(({ kind, from, to, outcome, reason }) => {
    const target = to === undefined ? '' : ` → ${to}`;
    const why = outcome === 'present' ? ' (already here)' : reason === undefined ? '' : `: ${reason}`;
    return `${marks[outcome]} ${kind}: ${printable(redactSecrets(`${from}${target}${why}`))}\n`;
  });
  const ready = steps.filter(({ outcome }) => outcome === 'ready').length;
  const end =
    ready === 0
      ? `There is nothing new to import from ${printable(folder)}.`
      : applied
        ? `Imported ${counted(ready, 'item')} from ${printable(folder)}.`
        : `Nothing was changed. Add --apply to import ${counted(ready, 'item')} from ${printable(folder)}.`;
  return `${lines.join('')}${end}\n`;
}
