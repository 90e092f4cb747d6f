/** A command of Hermes, as far as the guard has to know it. */
export type OwnCommand = {
  /** Its words after `hermes`; empty for `hermes` itself. */
  path: string;
  aliases?: readonly string[];
  /** Without other options than `options`, the command only reads. */
  reads?: true;
  /** The command has subcommands. */
  group?: true;
  /** Unknown options are arguments. */
  anyOption?: true;
  /** The options that change nothing, and all others; those that take a value end in `=`. */
  options: string;
  changing: string;
};
