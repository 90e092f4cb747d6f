import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome, updateConfig } from '../../../config/index.ts';
import { checkFile, type FileFinding, type MigrationStep, planMigration } from '../../../config/keys/index.ts';
import { redactSecrets, timestampForFileName } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';
import { openConfigFile } from './config-file.ts';

export type CheckOptions = { json?: boolean };
type Finding = Omit<FileFinding, 'kind'> & { kind: FileFinding['kind'] | 'ignored' };

/** Checks the whole file. Warnings do not affect the exit code. */
export async function checkConfig({ json }: CheckOptions, io: CliIo): Promise<number> {
  const { file, content } = await openConfigFile(io);
  const inFile = checkFile(file, content);
  const ok = inFile.every(({ status }) => status !== 'wrong');
  const findings: Finding[] = ok ? [...inFile, ...(await findIgnored(io))] : inFile;
  const sound = findings.every(({ status }) => status !== 'wrong');
  if (json) writeJson(io.stdout, { file, ok: sound, findings });
  else io.stdout.write(formatFindings(file, findings, sound, createStyle(io.stdout, io.env)));
  return sound ? 0 : 1;
}

/** Finds valid values that have no effect, such as a reference to a variable that is not set. */
async function findIgnored(io: CliIo): Promise<Finding[]> {
  try {
    const { warnings } = await loadSettings({ home: resolveHome(io.env), env: io.env });
    return warnings.map((message) => ({ status: 'warning', kind: 'ignored', message }));
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return [{ status: 'wrong', kind: 'value', message: thrown.message, hint: thrown.hint }];
  }
}

function formatFindings(file: string, findings: readonly Finding[], sound: boolean, style: Style): string {
  const lines = findings.map(({ status, line, message, hint }) => {
    const symbol = status === 'wrong' ? style.red('✗') : style.yellow('!');
    const location = line === undefined ? '' : `line ${line}: `;
    return `${symbol} ${location}${printable(redactSecrets(message))}\n${hint === undefined ? '' : `  ${printable(hint)}\n`}`;
  });
  const end = sound ? `${style.green('✓')} ${printable(file)} is valid.\n` : 'Correct it with: hermes config edit\n';
  return lines.join('') + end;
}

export type MigrateOptions = { dryRun?: boolean; json?: boolean };

/** Renames deprecated keys. A copy of the original file is kept next to it. */
export async function migrateConfig({ dryRun, json }: MigrateOptions, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  let { steps, changes } = planMigration(file, content);
  const isChanged = changes.length > 0 && !dryRun;
  let backup: string | undefined;
  if (isChanged) {
    await updateConfig(home, async (current) => {
      ({ steps, changes } = planMigration(file, current));
      backup = changes.length > 0 ? await saveOldFile(file) : undefined;
      return changes;
    });
  }
  if (json) writeJson(io.stdout, { file, changed: isChanged, backup, steps });
  else io.stdout.write(printable(formatMigration(steps, file, backup, dryRun ?? false)));
  return 0;
}

async function saveOldFile(file: string): Promise<string> {
  const time = timestampForFileName(Date.now());
  for (let number = 0; ; number += 1) {
    const backup = `${file}.${time}${number === 0 ? '' : `-${number}`}.bak`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
  }
}

function formatMigration(
  steps: readonly MigrationStep[],
  file: string,
  backup: string | undefined,
  dryRun: boolean,
): string {
  if (steps.length === 0) return `${file} has no deprecated keys; nothing was changed.\n`;
  const lines = steps.map(describeStep);
  const end = dryRun
    ? 'Dry run: nothing was changed.'
    : backup === undefined
      ? 'Nothing was changed.'
      : `The original file was saved as ${backup}.`;
  return [...lines, end, ''].join('\n');
}

function describeStep({ from, to, outcome, reason }: MigrationStep): string {
  switch (outcome) {
    case 'moved':
      return `${from} → ${to}`;
    case 'dropped':
      return `${from} is removed, because ${to} is set and takes precedence`;
    case 'left':
      return `${from} is not renamed: ${reason}`;
  }
}
