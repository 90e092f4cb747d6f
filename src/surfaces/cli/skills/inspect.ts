import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import {
  type AuditEntry,
  auditSkills,
  type GuardFinding,
  isRemote,
  inspectSkill,
  inspectSource,
  missingSkills,
  parseRemote,
  type SkillInspection,
  type Verdict,
} from '../../../skills/installing/index.ts';
import { counted } from '../../text/counted.ts';
import { formatPairs } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';
import { openLibrary } from './list.ts';

export type InspectOptions = { path?: string; json?: boolean };

/** Shows a skill by its name, its folder or its install source. It does not run or store anything. */
export async function inspectSkillCommand(
  name: string,
  options: InspectOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const look = await inspectNamed(name, options, io, signal);
  if (options.json) writeJson(io.stdout, look);
  else io.stdout.write(formatInspection(look, io));
  return 0;
}

async function inspectNamed(
  name: string,
  { path }: InspectOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<SkillInspection> {
  const { settings, library } = await openLibrary(io);
  const { home } = settings;
  const { workingDirectory, env } = io;
  const folder = resolve(workingDirectory, name);
  const isFolder = /[/\\]|^\.+$/.test(name) && existsSync(folder);
  // A folder with skills in subfolders is an install source.
  if (isRemote(name) || (isFolder && (path !== undefined || !existsSync(join(folder, 'SKILL.md')))))
    return inspectSource({ home, workingDirectory, source: name, path, env, signal });
  // Throws with the supported forms.
  if (/^(?:\.{0,2}\/|~\/|npm:|github:)/.test(name) && !isFolder) parseRemote(name);
  if (path !== undefined) throw pathWithoutSource(name);
  return inspectSkill(home, isFolder ? { folder } : await library.require(name));
}

function pathWithoutSource(name: string): ConfigurationError {
  return new ConfigurationError(`--path cannot be used with ${name}, which is not an install source.`, {
    hint: '--path is for a folder with several skills, a Git URL, github:OWNER/NAME or npm:NAME.',
  });
}

function formatInspection(
  { facts, folder, origin, source, path, version, files, text, ...report }: SkillInspection,
  io: CliIo,
): string {
  const style = createStyle(io.stdout, io.env);
  const rows: (readonly [string, string | undefined])[] = [
    ['skill', facts.name],
    ['about', facts.description],
    ['version', facts.version],
    ['licence', facts.license],
    ['folder', folder],
    ['scope', origin],
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
  return `${formatPairs(known)}${names}\n${formatReport(report, style)}\n${printable(text)}\n`;
}

/** Scans the named skills, or all that are not bundled. The exit code is 1 if one is dangerous. */
export async function auditInstalled(
  names: readonly string[],
  { json }: { json?: boolean },
  io: CliIo,
): Promise<number> {
  const opened = await openLibrary(io);
  const { home } = opened.settings;
  const { skills } = await opened.library.inventory();
  const wanted =
    names.length === 0
      ? skills.filter(({ origin }) => origin !== 'bundled')
      : await Promise.all(names.map((name) => opened.library.require(name)));
  const entries = await auditSkills(home, wanted);
  const missing = names.length === 0 ? missingSkills(home, skills) : [];
  if (json) writeJson(io.stdout, { skills: entries, missing });
  else io.stdout.write(formatAudit(entries, missing, createStyle(io.stdout, io.env)));
  return entries.some(({ verdict }) => verdict === 'dangerous') ? 1 : 0;
}

function formatAudit(entries: readonly AuditEntry[], missing: readonly string[], style: Style): string {
  if (entries.length === 0 && missing.length === 0) return 'There are no skills besides the bundled ones.\n';
  const gone = missing.map(
    (name) => `${style.yellow('!')} ${printable(name)} is in the lock file, but its folder does not exist.\n`,
  );
  return [...entries.map((entry) => formatEntry(entry, style)), ...gone].join('');
}

function formatEntry(entry: AuditEntry, style: Style): string {
  const from =
    entry.source === undefined
      ? entry.origin
      : `from ${entry.source}${entry.version === undefined ? '' : ` (${entry.version})`}`;
  const changes = entry.changes.map((change) => `  ${style.yellow('!')} ${printable(change)} since it was installed\n`);
  return `${style.bold(printable(entry.name))}, ${printable(from)}, ${formatReport(entry, style)}${changes.join('')}`;
}

const MAX_SHOWN = 20;
const ORDER = ['danger', 'caution', 'note'] as const;

/** The verdict of a scan and its findings, the most severe first. */
export function formatReport(report: { verdict: Verdict; findings: readonly GuardFinding[] }, style: Style): string {
  const sorted = ORDER.flatMap((severity) => report.findings.filter((finding) => finding.severity === severity));
  const lines = sorted.slice(0, MAX_SHOWN).map((finding) => `  ${formatFinding(finding, style)}\n`);
  const rest = sorted.length > MAX_SHOWN ? `  … and ${sorted.length - MAX_SHOWN} more\n` : '';
  return `scan: ${paint(report.verdict, style)}\n${lines.join('')}${rest}`;
}

function formatFinding({ severity, category, reason, file, line }: GuardFinding, style: Style): string {
  const symbol = { danger: style.red('✗'), caution: style.yellow('!'), note: style.dim('·') }[severity];
  const location = line === undefined ? file : `${file}:${line}`;
  return `${symbol} ${inOneLine(location)}: it ${printable(reason)} (${category})`;
}

function paint(verdict: Verdict, style: Style): string {
  if (verdict === 'safe') return style.green('safe');
  return verdict === 'caution' ? style.yellow('caution') : style.red('dangerous');
}

/** File names may contain line breaks, which must not add lines to the output. */
function inOneLine(path: string): string {
  return printable(path).replace(/[\n\t]/g, ' ');
}

/** `12 files, 3 KB` */
export function formatSize(files: number, bytes: number): string {
  return `${counted(files, 'file')}, ${Math.max(1, Math.ceil(bytes / 1024))} KB`;
}
