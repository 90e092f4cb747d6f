import type { SyntaxNode } from 'unbash';
import type { OwnProgram } from '../own-program/own-program.ts';
import type { ScriptDisk } from '../scripts/script-disk.ts';
import type { ScriptOrigin } from '../scripts/script-run.ts';
import type { ScriptFunction } from './fork-bomb.ts';
import type { Origin, ShellCommand, ShellReading, Source } from './shell-command.ts';

export type ShellParser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

/** The initial directories, and functions that classify command names. */
export type ReadingStart = {
  home: string;
  directory: string;
  /** Environment variables whose value is known. */
  variables: ReadonlyMap<string, string>;
  isDangerous(name: string): boolean;
  isHarmless(name: string): boolean;
  /** Dangerous names that match a glob pattern such as `r?`. */
  namesLike(pattern: string): string[];
  /** The running program, to recognise commands that start it. */
  program: OwnProgram | undefined;
  /** The files that commands run; undefined if they cannot be read. */
  scripts: ScriptDisk | undefined;
};

/** The input of a command from its pipeline. */
export type PipelineInput = {
  sources: readonly Source[];
  text: string | undefined;
  /** The source text of the whole pipeline. */
  pipeline?: string;
};
export const NO_PIPELINE_INPUT: PipelineInput = { sources: [], text: undefined };

/** A file that the command line itself writes: the origin of its text, and the text itself if known. */
export type WrittenFile = { origin: Origin | undefined; text: string | undefined };

/**
 * The state at a position in the script. Sibling nodes share it, so that an assignment or `cd` affects the commands
 * that follow.
 */
export type ReaderPosition = {
  variables: Map<string, string>;
  directory: string;
  depth: number;
  source: string;
  pipelineInput: PipelineInput;
  /** What the command around `>(…)` writes there. */
  writer?: PipelineInput | undefined;
  /** The commands that process the output at this position, one list for each stage. */
  consumers: ShellCommand['consumers'];
  remote: ShellCommand['remote'];
  suspected: boolean;
  /** The functions on the call stack, to stop recursion. */
  calling: readonly string[];
  /** The file that contains the script; undefined for the command line itself. */
  script: ScriptOrigin | undefined;
  /** The scripts that are being read, to stop recursion. */
  running: readonly string[];
};

export type Reader = {
  parser: ShellParser;
  reading: ShellReading;
  start: ReadingStart;
  functions: ScriptFunction[];
  bodies: Map<string, { node: SyntaxNode; source: string }>;
  aliases: Map<string, string>;
  files: Map<string, WrittenFile>;
  /** Files that the command line copies, moves or links, with the originals. */
  copied: Map<string, string>;
  /** Files that the command line makes another name of Hermes. */
  ownFiles: Set<string>;
  /** Folders into which the command line unpacks or clones downloaded content, and whether its host is unusual. */
  fetched: { folder: string; foreign: boolean }[];
  /** Variables that hold the output of commands, with those commands. */
  printed: Map<string, readonly Source[]>;
  /** The systems that commands of the line chose for later ones, as assignments of variables. */
  systems: string[];
  /** Variables whose value was written without any expansion. */
  literals: Set<string>;
  /** Variables that the command line sets to values that are unknown. */
  assigned: Set<string>;
  /** The remaining budget for reading the command line. */
  budget: { commands: number; characters: number; words: number; runs: number };
};

export const LIMITS = {
  depth: 12,
  commands: 6000,
  characters: 1_000_000,
  words: 80_000,
  value: 10_000,
  pipeline: 100,
  loop: 24,
  runs: 40,
} as const;

export const TOO_DEEP = 'commands nested too deeply';
export const TOO_MUCH = 'too many commands to check';

/**
 * Records that a part of the line was not read, so that the line needs approval. Each problem is recorded only once.
 */
export function recordProblem(reader: Reader, problem: string): void {
  if (!reader.reading.problems.includes(problem)) reader.reading.problems.push(problem);
}
