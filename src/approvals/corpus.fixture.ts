import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Expected = { command: string; blocked: boolean };

/** Lines of a corpus; the first one explains the marks. */
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
  return ['dangerous.txt', 'dangerous-second.txt', 'dangerous-third.txt']
    .flatMap(linesOf)
    .map((line) => ({ command: line.slice(2), blocked: line.startsWith('B ') }));
}

export function harmlessCommands(): string[] {
  return ['harmless.txt', 'harmless-second.txt', 'harmless-third.txt'].flatMap(linesOf);
}
