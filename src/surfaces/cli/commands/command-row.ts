import type { CliIo } from '../cli-io.ts';
import type { CliRun } from '../cli-run.ts';

/** An option or an argument: how it is written, what it means, and how its text is read. */
export type ValueRow = {
  /** In commander's syntax: `-n, --lines <n>` for an option, `<session>` or `[paths...]` for an argument. */
  form: string;
  about: string;
  choices?: readonly string[];
  default?: string | number;
  /**
   * With this option, a command that only reads still only reads. An agent needs approval for every other option. Not
   * used for arguments.
   */
  onlyReads?: true;
  /** Whether the option is required. Not used for arguments. */
  isRequired?: boolean;
  /** Throws `InvalidValue`. `before` is the parsed value of an earlier use of the same option. */
  parse?(text: string, before?: unknown): unknown;
};

/** One call of a command, with parsed arguments and options. */
export type CommandCall<Options = object, Values extends readonly unknown[] = readonly unknown[]> = {
  /** The arguments, in the order of the row. */
  values: Values;
  options: Options;
  io: CliIo;
  /** A command may listen to this signal, stop and throw the signal's reason. Otherwise the process just exits. */
  signal: AbortSignal;
  run: CliRun;
};

/**
 * Describes a command. The parser, help, shell completion, the reference pages and the suggestions for mistyped names are
 * built from these rows. `run` imports the code of the command, so that it is loaded only when it is called.
 */
export type CommandRow = {
  name: string;
  aliases?: readonly string[];
  /** The heading in the help of the parent command. */
  group?: string;
  /** What the command does; `summary` is shorter, for lists. */
  about: string;
  summary?: string;
  arguments?: readonly ValueRow[];
  options?: readonly ValueRow[];
  /** A paragraph between options and examples. */
  notes?: string;
  examples: readonly string[];
  /** The heading of the examples; defaults to `Examples`. */
  examplesHeading?: string;
  /** For our own scripts: hidden from help and completion. */
  isHidden?: boolean;
  /** Unknown options are passed on as arguments. */
  allowsUnknownOptions?: boolean;
  /**
   * The command changes nothing, reveals no secrets, and runs neither a model nor code of others. An agent may run it
   * without approval; every other command of ours needs approval. `npm run reference` passes this on to the guard.
   */
  onlyReads?: true;
  /** Whether the command starts a chat and accepts the options of one. */
  isChat?: boolean;
  commands?: readonly CommandRow[];
  /**
   * Runs the command and returns the exit code. For a command with sub-commands, this runs if none of them is named.
   */
  run?(call: CommandCall): Promise<number>;
};

export type Json = { json?: boolean };
export type Confirmed = Json & { yes?: boolean };

export const JSON_OPTION: ValueRow = { form: '--json', about: 'print JSON', onlyReads: true };
export const JSON_FOR_ALL_OPTION: ValueRow = {
  form: '--json',
  about: 'print JSON; works with every subcommand',
  onlyReads: true,
};
export const YES_OPTION: ValueRow = { form: '--yes', about: 'do not ask for confirmation' };
export const YES_SHORT_OPTION: ValueRow = { form: '-y, --yes', about: 'do not ask for confirmation' };
