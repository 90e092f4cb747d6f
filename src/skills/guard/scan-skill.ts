import { scanText } from '../../scanning/index.ts';
import type { GuardFinding, GuardRule, Severity } from './guard-rules.ts';
import { DESTRUCTION_RULES, EXFILTRATION_RULES, DECEPTION_RULES } from './guard-rules.ts';
import { LIMITS, type SkillFile } from './skill-folder.ts';

const RULES: readonly GuardRule[] = [...EXFILTRATION_RULES, ...DESTRUCTION_RULES, ...DECEPTION_RULES];
/** Longer lines are scanned in overlapping pieces, so that no pattern runs on a huge line. */
const [PIECE, OVERLAP] = [2_000, 400];
/** Limit per rule and file; further matches of the same rule add no information. */
const MAX_FINDINGS_PER_RULE = 3;
const INJECTION = { category: 'injection', severity: 'danger' } as const;
/** Magic numbers of executables: ELF, Windows, Mach-O, WebAssembly, Java. */
const PROGRAMS = ['7f454c46', '4d5a', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', '0061736d', 'cafebabe'];
const PROGRAM_NAMES =
  /\.(?:exe|dll|so|dylib|com|scr|msi|jar|class|pyc|pyd|node|wasm|apk|deb|rpm|dmg|pkg|bat|vbs|lnk)$/i;
/** Binary file types that a skill may contain. */
const HARMLESS = /\.(?:png|jpe?g|gif|webp|ico|pdf|ttf|otf|woff2?|docx|xlsx|pptx|mp3|wav)$/i;
const NESTED = /\.(?:zip|tar|t?gz|tgz|bz2|xz|7z|rar)$/i;
/**
 * Invisible characters that change how text is read: zero-width, direction overrides, tags. Joiners are excluded,
 * because several scripts and emoji need them, and so is a byte order mark.
 */
const INVISIBLE = /(?!^\ufeff)[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
/** Such a file name could fake further lines or another name in a listing. */
// oxlint-disable-next-line no-control-regex
const STRANGE_NAME = /[\u0000-\u001f\u007f-\u009f]/;

export type Verdict = 'safe' | 'caution' | 'dangerous';

export type ScanReport = { verdict: Verdict; findings: GuardFinding[] };

/** Scans all files of a skill: their types, suspicious content, and prompt injection. */
export async function scanSkill(files: readonly SkillFile[]): Promise<ScanReport> {
  const findings = checkFiles(files);
  for (const { path, text } of files) {
    if (text === undefined) continue;
    findings.push(...findSuspiciousLines(text, path));
    const injected = await scanText(text, 'strict');
    const named = injected.slice(0, MAX_FINDINGS_PER_RULE);
    findings.push(...named.map(({ reason, line }) => ({ ...INJECTION, reason, file: path, line })));
  }
  return { verdict: verdictOf(findings), findings };
}

/** The findings of the rules in one text. */
export function findSuspiciousLines(text: string, file: string): GuardFinding[] {
  const findings: GuardFinding[] = [];
  const counts = new Map<GuardRule, number>();
  for (const [index, line] of text.split('\n').entries()) {
    for (const rule of RULES.filter(({ pattern }) => piecesOf(line).some((piece) => pattern.test(piece)))) {
      const count = (counts.get(rule) ?? 0) + 1;
      counts.set(rule, count);
      const { category, severity, reason } = rule;
      if (count <= MAX_FINDINGS_PER_RULE) findings.push({ category, severity, reason, file, line: index + 1 });
    }
  }
  return findings;
}

function piecesOf(line: string): string[] {
  if (line.length <= PIECE) return [line];
  const count = Math.ceil(line.length / (PIECE - OVERLAP));
  return Array.from({ length: count }, (_, index) => line.slice(index * (PIECE - OVERLAP)).slice(0, PIECE));
}

export function verdictOf(findings: readonly Pick<GuardFinding, 'severity'>[]): Verdict {
  if (findings.some(({ severity }) => severity === 'danger')) return 'dangerous';
  return findings.some(({ severity }) => severity === 'caution') ? 'caution' : 'safe';
}

/** Findings about file types, sizes and names. */
function checkFiles(files: readonly SkillFile[]): GuardFinding[] {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const findings = files.flatMap(checkFile);
  const all = (reason: string) => findings.push(finding('caution', reason, '.'));
  if (files.length > LIMITS.files) all(`has ${files.length} files (maximum ${LIMITS.files})`);
  if (size > LIMITS.bytes) all(`has ${Math.ceil(size / 1024)} KB (maximum ${LIMITS.bytes / 1024} KB)`);
  return findings;
}

function checkFile({ path, kind, executable, size, bytes, text }: SkillFile): GuardFinding[] {
  if (kind === 'link') return [finding('danger', 'is a symbolic link', path)];
  if (kind === 'other') return [finding('danger', 'is a device, pipe or socket', path)];
  const found: GuardFinding[] = [];
  if (STRANGE_NAME.test(path) || INVISIBLE.test(path))
    found.push(finding('danger', 'has invisible characters in its name', path));
  if (size > LIMITS.fileBytes)
    found.push(finding('caution', `has ${Math.ceil(size / 1024)} KB (maximum ${LIMITS.fileBytes / 1024} KB)`, path));
  if (path.split('/').some((part) => part.startsWith('.'))) found.push(finding('caution', 'is hidden', path));
  if (executable) found.push(finding('note', 'is executable; it is installed without this permission', path));
  if (PROGRAM_NAMES.test(path) || isProgram(bytes)) found.push(finding('danger', 'is an executable program', path));
  else if (NESTED.test(path)) found.push(finding('caution', 'is an archive, which is not scanned', path));
  else if (text === undefined && !HARMLESS.test(path)) found.push(finding('caution', 'is a binary file', path));
  const hidden = text === undefined ? -1 : text.split('\n').findIndex((line) => INVISIBLE.test(line));
  if (hidden >= 0)
    found.push({
      ...finding('danger', 'contains invisible characters', path),
      category: 'injection',
      line: hidden + 1,
    });
  return found;
}

function isProgram(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  // `MZ` alone could start a text; a Windows executable also contains bytes that no text has.
  return PROGRAMS.some(
    (marker) => start.startsWith(marker) && (marker !== '4d5a' || bytes.subarray(0, 64).includes(0)),
  );
}

function finding(severity: Severity, reason: string, file: string): GuardFinding {
  return { category: 'files', severity, reason, file };
}
