import type { CliIo } from '../cli-io.ts';
import type { CliRun } from '../cli-run.ts';

/** An option or an argument: how it is written, what it means, and how its text is read. */
export type ValueRow = {
  /** As commander writes it: `-n, --lines <n>` for an option, `<session>` or `[paths...]` for an argument. */
  form: string;
  about: string;
  choices?: readonly string[];
  default?: string | number;
  /** For an option that the command cannot do without. */
  isRequired?: boolean;
  /** Throws `InvalidArgumentError`. `before` is what an earlier use of the same option came to. */
  parse?(text: string, before?: unknown): unknown;
};

/** One call of a command, after its words were parsed. */
export type CommandCall<Options = object, Values extends readonly unknown[] = readonly unknown[]> = {
  /** The arguments, in the order of the row. */
  values: Values;
  options: Options;
  io: CliIo;
  /** A command that listens to it ends its work itself and throws the signal's reason; any other is simply left. */
  signal: AbortSignal;
  run: CliRun;
};

/**
 * All there is to know about a command. The parser, help, shell completion, the reference pages and the recognition of
 * mistyped names are made from these rows. `run` imports what it needs, so that a row costs nothing until it is called.
 */
export type CommandRow = {
  name: string;
  aliases?: readonly string[];
  /** The heading that help shows it under. */
  group?: string;
  /** What it does; `summary` is shorter, for lists. */
  about: string;
  summary?: string;
  arguments?: readonly ValueRow[];
  options?: readonly ValueRow[];
  /** A paragraph between options and examples. */
  notes?: string;
  examples: readonly string[];
  /** Instead of `Examples:`. */
  examplesHeading?: string;
  /** For scripts of ours: neither help nor completion shows it. */
  isHidden?: boolean;
  /** Options that are not its own are words of its argument. */
  takesAnyOption?: boolean;
  /** It starts a chat, with the options of one. */
  isChat?: boolean;
  commands?: readonly CommandRow[];
  /** Returns the exit code. With sub-commands it is what happens where none is named. */
  run?(call: CommandCall): Promise<number>;
};

export type Json = { json?: boolean };
export type Confirmed = Json & { yes?: boolean };

export const JSON_OPTION: ValueRow = { form: '--json', about: 'answer with JSON' };
export const JSON_FOR_ALL: ValueRow = { form: '--json', about: 'answer with JSON, for any of the commands' };
export const YES_OPTION: ValueRow = { form: '--yes', about: 'do not ask' };
export const YES_SHORT_OPTION: ValueRow = { form: '-y, --yes', about: 'do not ask' };
