import { copyFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { updateConfig } from '../../../config/index.ts';
import { type MigrationStep, planMigration } from '../../../config/keys/index.ts';
import { timeInName } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { openConfigFile } from './config-file.ts';

export type MigrateOptions = { dryRun?: boolean; json?: boolean };

/** Old names become those of today. The file as it was stays beside the new one. */
export async function migrateConfig({ dryRun, json }: MigrateOptions, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  const { steps, changes } = planMigration(file, content);
  const isChanged = changes.length > 0 && !dryRun;
  const backup = isChanged ? await keepOld(file) : undefined;
  if (isChanged) await updateConfig(home, changes);
  if (json) writeJson(io.stdout, { file, changed: isChanged, backup, steps });
  else io.stdout.write(showable(format(steps, file, backup, dryRun ?? false)));
  return 0;
}

async function keepOld(file: string): Promise<string> {
  const time = timeInName(Date.now());
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

function format(steps: readonly MigrationStep[], file: string, backup: string | undefined, dryRun: boolean): string {
  if (steps.length === 0) return `${file} has no old names; nothing was changed.\n`;
  const lines = steps.map(describeStep);
  const end = dryRun
    ? 'Nothing was changed yet.'
    : backup === undefined
      ? 'Nothing was changed.'
      : `The file as it was is in ${backup}.`;
  return [...lines, end, ''].join('\n');
}

function describeStep({ from, to, outcome, reason }: MigrationStep): string {
  switch (outcome) {
    case 'moved':
      return `${from} → ${to}`;
    case 'dropped':
      return `${from} is taken out: ${to} is set, and counts`;
    case 'left':
      return `${from} stays as it is: ${reason}`;
  }
}
