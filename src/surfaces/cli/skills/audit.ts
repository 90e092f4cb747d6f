import { type AuditEntry, auditSkills, missingSkills } from '../../../skills/installing/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, type Style, showable } from '../style.ts';
import { formatReport } from './format-report.ts';
import { openLibrary } from './open-library.ts';

/** Scans skills as they are now: all that are not shipped, or those that were named. Ends with 1 where one is dangerous. */
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
  else io.stdout.write(format(entries, missing, createStyle(io.stdout, io.env)));
  return entries.some(({ verdict }) => verdict === 'dangerous') ? 1 : 0;
}

function format(entries: readonly AuditEntry[], missing: readonly string[], style: Style): string {
  if (entries.length === 0 && missing.length === 0) return 'There are no skills besides the shipped ones.\n';
  const gone = missing.map((name) => `${style.yellow('!')} ${showable(name)} was installed, and its folder is gone.\n`);
  return [...entries.map((entry) => formatEntry(entry, style)), ...gone].join('');
}

function formatEntry(entry: AuditEntry, style: Style): string {
  const from =
    entry.source === undefined
      ? entry.origin
      : `from ${entry.source}${entry.version === undefined ? '' : ` (${entry.version})`}`;
  const changes = entry.changes.map((change) => `  ${style.yellow('!')} ${showable(change)} since it was installed\n`);
  return `${style.bold(showable(entry.name))}, ${showable(from)}, ${formatReport(entry, style)}${changes.join('')}`;
}
