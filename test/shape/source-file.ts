import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type ParseResult, parseSync } from 'oxc-parser';

/** A file of the project; `path` is relative to the root, with forward slashes. */
export type SourceFile = { path: string; text: string };

/** A violation, formatted so that its position can be opened from the terminal. */
export type Finding = { path: string; line: number; message: string };

/** All files with one of the endings in the given folders. */
export function readSources(
  root: string,
  folders: readonly string[],
  endings: readonly string[] = ['.ts'],
): SourceFile[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: relative(root, file).replaceAll('\\', '/'),
      text: readFileSync(file, 'utf8'),
    }));
}

/** Tests, and suites that several tests share. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/') || /\/conformance(\/|\.ts$)/.test(path);
}

/** The file that was parsed last. Several checks of one file in a row parse it once; all trees would need much memory. */
let last: { source: SourceFile; result: ParseResult } | undefined;

export function parse(source: SourceFile): ParseResult {
  if (last?.source === source) return last.result;
  const result = parseSync(source.path, source.text, { preserveParens: false });
  const [error] = result.errors;
  // Otherwise a file that cannot be parsed would pass every check.
  if (error) throw new Error(`${source.path} cannot be parsed: ${error.message}`);
  last = { source, result };
  return result;
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

export function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

export function describeFindings(findings: readonly Finding[]): string {
  return findings.map(({ path, line, message }) => `${path}:${line} ${message}`).join('\n');
}
