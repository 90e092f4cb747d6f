import type { GuardFinding, Severity } from './guard-rule.ts';
import { LIMITS, type SkillFile } from './skill-folder.ts';

/** Programs by how their bytes begin: ELF, Windows, Mach-O, WebAssembly, Java. */
const PROGRAMS = ['7f454c46', '4d5a', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', '0061736d', 'cafebabe'];
const PROGRAM_NAMES =
  /\.(?:exe|dll|so|dylib|com|scr|msi|jar|class|pyc|pyd|node|wasm|apk|deb|rpm|dmg|pkg|bat|vbs|lnk)$/i;
/** What a skill may well bring that is no text. */
const HARMLESS = /\.(?:png|jpe?g|gif|webp|ico|pdf|ttf|otf|woff2?|docx|xlsx|pptx|mp3|wav)$/i;
const NESTED = /\.(?:zip|tar|t?gz|tgz|bz2|xz|7z|rar)$/i;
/**
 * Characters that are not seen and change what is read: of no width, turning the direction, tags. Joiners are left out,
 * because several scripts and emoji need them, and so is the mark at the beginning of a file.
 */
const INVISIBLE = /(?!^\ufeff)[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** In a list such a name would look like further lines of it, or like another name. */
// oxlint-disable-next-line no-control-regex
const STRANGE_NAME = /[\u0000-\u001f\u007f-\u009f]/;

/** What can be said of files without understanding them. */
export function judgeFiles(files: readonly SkillFile[]): GuardFinding[] {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const findings = files.flatMap(judgeFile);
  const all = (reason: string) => findings.push(finding('caution', reason, '.'));
  if (files.length > LIMITS.files) all(`has ${files.length} files, more than ${LIMITS.files}`);
  if (size > LIMITS.bytes) all(`has ${Math.ceil(size / 1024)} KB, more than ${LIMITS.bytes / 1024}`);
  return findings;
}

function judgeFile({ path, kind, executable, size, bytes, text }: SkillFile): GuardFinding[] {
  if (kind === 'link') return [finding('danger', 'is a link', path)];
  if (kind === 'other') return [finding('danger', 'is a device, pipe or socket', path)];
  const found: GuardFinding[] = [];
  if (STRANGE_NAME.test(path) || INVISIBLE.test(path))
    found.push(finding('danger', 'has characters in its name that nobody sees', path));
  if (size > LIMITS.fileBytes)
    found.push(finding('caution', `has ${Math.ceil(size / 1024)} KB, more than ${LIMITS.fileBytes / 1024}`, path));
  if (path.split('/').some((part) => part.startsWith('.'))) found.push(finding('caution', 'is hidden', path));
  if (executable) found.push(finding('note', 'is marked as executable; the mark is not kept', path));
  if (PROGRAM_NAMES.test(path) || isProgram(bytes)) found.push(finding('danger', 'is a program', path));
  else if (NESTED.test(path)) found.push(finding('caution', 'is an archive, into which nobody looks', path));
  else if (text === undefined && !HARMLESS.test(path)) found.push(finding('caution', 'is no text', path));
  const hidden = text === undefined ? -1 : text.split('\n').findIndex((line) => INVISIBLE.test(line));
  if (hidden >= 0)
    found.push({
      ...finding('danger', 'has characters that nobody sees', path),
      category: 'injection',
      line: hidden + 1,
    });
  return found;
}

function isProgram(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  // Two letters alone would also be the beginning of a text; a Windows program has bytes that no text has.
  return PROGRAMS.some((mark) => start.startsWith(mark) && (mark !== '4d5a' || bytes.subarray(0, 64).includes(0)));
}

function finding(severity: Severity, reason: string, file: string): GuardFinding {
  return { category: 'files', severity, reason, file };
}
