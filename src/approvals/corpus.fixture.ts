import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Expected = { command: string; blocked: boolean };

const DANGEROUS = ['dangerous.txt', 'dangerous-second.txt', 'dangerous-third.txt', 'dangerous-fourth.txt'];
/** Commands by the paths that they touch: credentials they read, and protected files they change. */
const BY_PATH = [
  'credential-reads.txt',
  'credential-reads-second.txt',
  'credential-reads-third.txt',
  'credential-reads-fourth.txt',
  'protected-paths.txt',
  'protected-paths-second.txt',
  'protected-paths-third.txt',
];
/** Commands by the programs that they use. Tests that wrap every command skip them, because they are many. */
const BY_PROGRAM = [
  'dangerous-fifth.txt',
  'dangerous-sixth.txt',
  'dangerous-seventh.txt',
  'dangerous-eighth.txt',
  'dangerous-ninth.txt',
  'dangerous-tenth.txt',
  'dangerous-eleventh.txt',
  'dangerous-twelfth.txt',
  'dangerous-thirteenth.txt',
  'dangerous-fourteenth.txt',
  'dangerous-fifteenth.txt',
  'dangerous-sixteenth.txt',
  'dangerous-seventeenth.txt',
  'credential-reads-fifteenth.txt',
  'credential-reads-fourteenth.txt',
  'credential-reads-thirteenth.txt',
  'credential-reads-twelfth.txt',
  'credential-reads-eleventh.txt',
  'credential-reads-tenth.txt',
  'credential-reads-ninth.txt',
  'credential-reads-eighth.txt',
  'credential-reads-seventh.txt',
  'credential-reads-sixth.txt',
  'credential-reads-fifth.txt',
  'protected-paths-fourth.txt',
];
const HARMLESS = [
  'harmless.txt',
  'harmless-second.txt',
  'harmless-third.txt',
  'harmless-fourth.txt',
  'harmless-fifth.txt',
  'harmless-sixth.txt',
  'harmless-seventh.txt',
  'harmless-eighth.txt',
  'harmless-ninth.txt',
  'harmless-tenth.txt',
  'harmless-eleventh.txt',
  'harmless-twelfth.txt',
  'harmless-thirteenth.txt',
  'harmless-fourteenth.txt',
  'harmless-fifteenth.txt',
  'harmless-sixteenth.txt',
  'harmless-seventeenth.txt',
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
  return [...DANGEROUS, ...BY_PATH, ...BY_PROGRAM]
    .flatMap(linesOf)
    .filter((line) => !line.startsWith(RUNS))
    .map(expectedOf);
}

/** Marks a command that a writer of a list calls dangerous and that runs, because the documentation decides so. */
const RUNS = 'R ';

/** Commands that writers of lists call dangerous and that run nevertheless. */
export function commandsThatRun(): string[] {
  return BY_PROGRAM.flatMap(linesOf).flatMap((line) => (line.startsWith(RUNS) ? [line.slice(RUNS.length)] : []));
}

/** A sample for tests that wrap each command in dozens of ways: all of the first two files and a third of the others. */
export function dangerousSample(): Expected[] {
  const some = DANGEROUS.slice(2)
    .flatMap(linesOf)
    .filter((_, index) => index % 3 === 0);
  return [...DANGEROUS.slice(0, 2).flatMap(linesOf), ...some].map(expectedOf);
}

function expectedOf(line: string): Expected {
  return { command: line.slice(2), blocked: line.startsWith('B ') };
}

export function harmlessCommands(): string[] {
  return HARMLESS.flatMap(linesOf);
}

/** Commands that change, duplicate or end the running agent. */
export function selfEscalations(): Expected[] {
  return linesOf('self-escalation.txt').map(expectedOf);
}

export function selfEscalationLookAlikes(): string[] {
  return linesOf('self-escalation-harmless.txt');
}

/** A command with the files that it may run, and the verdicts for files that existed before and for new ones. */
export type ScriptCase = {
  line: string;
  command: string;
  files: readonly { path: string; text: string }[];
  existing: string;
  fresh: string;
};

const VERDICTS: Readonly<Record<string, { existing: string; fresh: string }>> = {
  B: { existing: 'block', fresh: 'block' },
  A: { existing: 'ask', fresh: 'ask' },
  N: { existing: 'allow', fresh: 'ask' },
  H: { existing: 'allow', fresh: 'allow' },
};

export function scriptCases(): ScriptCase[] {
  return linesOf('scripts.txt').map((line) => {
    const [head = '', ...parts] = line.split(' ‖ ');
    const files = parts.map((part) => {
      const [path = '', text = ''] = part.split(' ⇒ ');
      return { path, text: `${text.replaceAll('⇥', '\t')}\n` };
    });
    const { existing = '', fresh = '' } = VERDICTS[head.slice(0, 1)] ?? {};
    return { line, command: head.slice(2), files, existing, fresh };
  });
}
