import type { ScriptFile } from './script-disk.ts';

/** What a command runs from a file. */
export type ScriptRun = {
  file: ScriptFile;
  /** Identifies the run, so that a script that starts itself is read once. */
  key: string;
  /** Whether a part of the text was written in this session, so that it is judged like the command line itself. */
  isNew(source: string): boolean;
  /** The folder it runs in; by default that of the command. */
  directory?: string;
} & (
  | {
      /** A shell script, and its positional parameters. */
      script: string;
      parameters?: readonly string[];
      /** The script runs in the current shell. */
      isSourced?: true;
    }
  | {
      /** A command that does the same: an interpreter with inline code, or a client with its input. */
      words: readonly string[];
      input?: string;
    }
);

/** The position of a command in a file that another command runs. */
export type ScriptOrigin = Pick<ScriptRun, 'isNew'> & { path: string };

/** Text of a file that was changed in this session is new, except for those parts that it contained before. */
export function isNewIn({ isChanged, before }: ScriptFile): (source: string) => boolean {
  return (source) => isChanged && before?.includes(source.trim()) !== true;
}

/** The lines that were added in this session. */
export function addedText({ text, isChanged, before }: ScriptFile): string {
  if (!isChanged) return '';
  if (before === undefined) return text;
  const known = new Set(before.split('\n').map((line) => line.trim()));
  return text
    .split('\n')
    .filter((line) => !known.has(line.trim()))
    .join('\n');
}
