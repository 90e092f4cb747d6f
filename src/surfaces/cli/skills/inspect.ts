import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { lookAtSkill, type SkillLook } from '../../../skills/installing/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatPairs } from '../insights/table.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable } from '../style.ts';
import { formatReport, formatSize, inOneLine } from './format-report.ts';
import { openLibrary } from './open-library.ts';

/** All about a skill, by its name or by the path of its folder; nothing of it is run or kept. */
export async function inspectSkill(name: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const opened = await openLibrary(io);
  const isPath = /[/\\]|^\.+$/.test(name) && existsSync(resolve(io.workingDirectory, name));
  const skill = isPath ? undefined : await opened.library.require(name);
  const look = await lookAtSkill(opened.settings.home, skill ?? { folder: resolve(io.workingDirectory, name) });
  if (json) writeJson(io.stdout, look);
  else io.stdout.write(format(look, io));
  return 0;
}

function format({ facts, folder, origin, source, files, text, ...report }: SkillLook, io: CliIo): string {
  const style = createStyle(io.stdout, io.env);
  const rows: (readonly [string, string | undefined])[] = [
    ['skill', facts.name],
    ['for', facts.description],
    ['version', facts.version],
    ['licence', facts.license],
    ['folder', folder],
    ['whose', origin],
    ['installed from', source],
    [
      'needs',
      [...(facts.requiresTools ?? []), ...(facts.requiresToolsets ?? []), ...(facts.variables ?? [])].join(', '),
    ],
    ['platforms', facts.platforms?.join(', ')],
    [
      'files',
      formatSize(
        files.length,
        files.reduce((sum, { bytes }) => sum + bytes, 0),
      ),
    ],
  ];
  const known = rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '');
  const names = files.map(({ path }) => `  ${inOneLine(path)}\n`).join('');
  return `${formatPairs(known)}${names}\n${formatReport(report, style)}\n${showable(text)}\n`;
}
