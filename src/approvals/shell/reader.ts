import type { SyntaxNode } from 'unbash';
import type { ScriptFunction } from './fork-bomb.ts';
import type { Origin, ShellCommand, ShellReading, Source } from './shell-command.ts';

export type ShellParser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

/** Where a reading begins, and which names are worth a second look. */
export type ReadingStart = {
  home: string;
  directory: string;
  isDangerous(name: string): boolean;
  isHarmless(name: string): boolean;
  /** Dangerous names that a pattern such as `r?` may stand for. */
  namesLike(pattern: string): string[];
};

/** What flows into a command from its pipeline. */
export type Feed = {
  sources: readonly Source[];
  text: string | undefined;
  /** The whole pipeline, as it is written. */
  pipeline?: string;
};
export const NO_FEED: Feed = { sources: [], text: undefined };

/** A file that the line itself writes: where its text came from, and the text where it is known. */
export type WrittenFile = { origin: Origin | undefined; text: string | undefined };

/** Where in the script the reader is. Siblings share a place, so that an assignment or `cd` holds for what follows. */
export type Place = {
  variables: Map<string, string>;
  directory: string;
  depth: number;
  source: string;
  feed: Feed;
  remote: ShellCommand['remote'];
  suspected: boolean;
  /** Functions that are being called, so that one which calls itself comes to an end. */
  calling: readonly string[];
};

export type Reader = {
  parser: ShellParser;
  reading: ShellReading;
  start: ReadingStart;
  functions: ScriptFunction[];
  bodies: Map<string, { node: SyntaxNode; source: string }>;
  aliases: Map<string, string>;
  files: Map<string, WrittenFile>;
  /** Folders that the line fills with what it has fetched. */
  fetched: string[];
  /** Variables that hold what commands print, and those commands. */
  printed: Map<string, readonly Source[]>;
  /** What is left to spend: every command and every text that is read costs something. */
  budget: { commands: number; characters: number; words: number };
};

export const LIMITS = {
  depth: 12,
  commands: 6000,
  characters: 1_000_000,
  words: 80_000,
  value: 10_000,
  pipeline: 100,
  loop: 24,
} as const;

export const TOO_DEEP = 'commands nested too deeply';
export const TOO_MUCH = 'too many commands to check';

/** Says once that something was left unread; that alone makes the line one to ask about. */
export function giveUp(reader: Reader, problem: string): void {
  if (!reader.reading.problems.includes(problem)) reader.reading.problems.push(problem);
}
