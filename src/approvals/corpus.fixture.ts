import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Expected = { command: string; blocked: boolean };

const DANGEROUS = ['dangerous.txt', 'dangerous-second.txt', 'dangerous-third.txt'];
/** Commands by the paths that they touch: credentials they read, and protected files they change. */
const BY_PATH = [
  'credential-reads.txt',
  'credential-reads-second.txt',
  'credential-reads-third.txt',
  'protected-paths.txt',
  'protected-paths-second.txt',
  'protected-paths-third.txt',
];
const HARMLESS = [
  'harmless.txt',
  'harmless-second.txt',
  'harmless-third.txt',
  'harmless-paths.txt',
  'harmless-paths-second.txt',
];

/** The commands of a corpus file; its first line explains the notation. */
function linesOf(name: string): string[] {
  const text = readFileSync(join(import.meta.dirname, 'corpus', name), 'utf8');
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map(decode);
}

function decode(line: string): string {
  return line
    .replaceAll('⏎', '\n')
    .replace(/⟦([\da-f]+)⟧/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

export function dangerousCommands(): Expected[] {
  return [...DANGEROUS, ...BY_PATH].flatMap(linesOf).map(expectedOf);
}

/** A sample for tests that wrap each command in dozens of ways: all of the first files and a third of the last. */
export function dangerousSample(): Expected[] {
  const [last, ...first] = DANGEROUS.toReversed();
  const some = last === undefined ? [] : linesOf(last).filter((_, index) => index % 3 === 0);
  return [...first.flatMap(linesOf), ...some].map(expectedOf);
}

function expectedOf(line: string): Expected {
  return { command: line.slice(2), blocked: line.startsWith('B ') };
}

export function harmlessCommands(): string[] {
  return HARMLESS.flatMap(linesOf);
}
