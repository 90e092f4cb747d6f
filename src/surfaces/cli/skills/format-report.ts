import type { GuardFinding, Verdict } from '../../../skills/installing/index.ts';
import { counted } from '../../text/counted.ts';
import { type Style, showable } from '../style.ts';

const MOST_SHOWN = 20;
const ORDER = ['danger', 'caution', 'note'] as const;

/** What a scan came to: the verdict, and what was found, the worst first. */
export function formatReport(report: { verdict: Verdict; findings: readonly GuardFinding[] }, style: Style): string {
  const sorted = ORDER.flatMap((severity) => report.findings.filter((finding) => finding.severity === severity));
  const lines = sorted.slice(0, MOST_SHOWN).map((finding) => `  ${formatFinding(finding, style)}\n`);
  const rest = sorted.length > MOST_SHOWN ? `  … and ${sorted.length - MOST_SHOWN} more\n` : '';
  return `scan: ${paint(report.verdict, style)}\n${lines.join('')}${rest}`;
}

function formatFinding({ severity, category, reason, file, line }: GuardFinding, style: Style): string {
  const mark = { danger: style.red('✗'), caution: style.yellow('!'), note: style.dim('·') }[severity];
  const place = line === undefined ? file : `${file}:${line}`;
  return `${mark} ${inOneLine(place)}: it ${showable(reason)} (${category})`;
}

function paint(verdict: Verdict, style: Style): string {
  if (verdict === 'safe') return style.green('safe');
  return verdict === 'caution' ? style.yellow('caution') : style.red('dangerous');
}

/** A file can have any name, and one with line breaks must not add lines to what is said about it. */
export function inOneLine(path: string): string {
  return showable(path).replace(/[\n\t]/g, ' ');
}

/** `12 files, 3 KB` */
export function formatSize(files: number, bytes: number): string {
  return `${counted(files, 'file')}, ${Math.max(1, Math.ceil(bytes / 1024))} KB`;
}
