import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { isRemote, lookAtSkill, lookAtSource, type SkillLook } from '../../../skills/installing/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatPairs } from '../../text/table.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable } from '../style.ts';
import { formatReport, formatSize, inOneLine } from './format-report.ts';
import { openLibrary } from './open-library.ts';

export type InspectOptions = { path?: string; json?: boolean };

/** All about a skill: by its name, its folder, or what it would be installed from. Nothing of it is run or kept. */
export async function inspectSkill(
  name: string,
  options: InspectOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const look = await lookAt(name, options, io, signal);
  if (options.json) writeJson(io.stdout, look);
  else io.stdout.write(format(look, io));
  return 0;
}

async function lookAt(name: string, { path }: InspectOptions, io: CliIo, signal: AbortSignal): Promise<SkillLook> {
  const { settings, library } = await openLibrary(io);
  const { home } = settings;
  const { workingDirectory, env } = io;
  const folder = resolve(workingDirectory, name);
  const isFolder = /[/\\]|^\.+$/.test(name) && existsSync(folder);
  // A folder that has skills further down is a source like any other.
  if (isRemote(name) || (isFolder && (path !== undefined || !existsSync(join(folder, 'SKILL.md')))))
    return lookAtSource({ home, workingDirectory, source: name, path, env, signal });
  if (path !== undefined) throw pathWithoutSource(name);
  return lookAtSkill(home, isFolder ? { folder } : await library.require(name));
}

function pathWithoutSource(name: string): ConfigurationError {
  return new ConfigurationError(`${name} is no source, so there is no --path in it.`, {
    hint: '--path is for a folder with several skills, a git address, github:OWNER/NAME or npm:NAME.',
  });
}

function format(
  { facts, folder, origin, source, path, version, files, text, ...report }: SkillLook,
  io: CliIo,
): string {
  const style = createStyle(io.stdout, io.env);
  const rows: (readonly [string, string | undefined])[] = [
    ['skill', facts.name],
    ['for', facts.description],
    ['version', facts.version],
    ['licence', facts.license],
    ['folder', folder],
    ['whose', origin],
    [origin === undefined ? 'source' : 'installed from', source],
    ['path', path],
    ['fetched', version],
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
  const names = files.map((file) => `  ${inOneLine(file.path)}\n`).join('');
  return `${formatPairs(known)}${names}\n${formatReport(report, style)}\n${showable(text)}\n`;
}
