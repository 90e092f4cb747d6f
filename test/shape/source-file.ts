import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type ParseResult, parseSync } from 'oxc-parser';

/** A file of the project, by its path from the project's root with forward slashes. */
export type SourceFile = { path: string; text: string };

/** One broken rule, worded so that its place can be opened from the terminal. */
export type Finding = { path: string; line: number; message: string };

/** All TypeScript files below the given folders. */
export function readSources(root: string, folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: relative(root, file).replaceAll('\\', '/'),
      text: readFileSync(file, 'utf8'),
    }));
}

/** Tests, and the suites that several of them share. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/') || /\/conformance(\/|\.ts$)/.test(path);
}

export function parse(source: SourceFile): ParseResult {
  const result = parseSync(source.path, source.text, { preserveParens: false });
  const [error] = result.errors;
  // A file that cannot be read would otherwise pass every check by having nothing in it.
  if (error) throw new Error(`${source.path} cannot be parsed: ${error.message}`);
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
