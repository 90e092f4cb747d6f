import { Command, type Option } from 'commander';

/** A mistake on the command line; `describe-usage-error.ts` has the wording. */
export type UsageMistake =
  | { kind: 'unknown command'; name: string }
  | { kind: 'unknown option'; flag: string }
  | { kind: 'missing argument'; name: string }
  | { kind: 'missing option'; option: Option }
  | { kind: 'missing value'; option: Option }
  | { kind: 'invalid option value'; option: Option; value: string; expected: string }
  | { kind: 'invalid argument'; name: string; value: string; expected: string; choices?: readonly string[] }
  | { kind: 'too many arguments'; given: readonly string[] };

/** Thrown by the parser. Its wording is loaded only when it is needed. */
export class UsageError extends Error {
  override name = 'UsageError';
  readonly command: CliCommand;
  readonly mistake: UsageMistake;
  constructor(command: CliCommand, mistake: UsageMistake) {
    super(mistake.kind);
    this.command = command;
    this.mistake = mistake;
  }
}

/** Thrown by the parser of a value. `expected` completes the sentence "`--limit` expects …". */
export class InvalidValue extends Error {
  override name = 'InvalidValue';
  readonly expected: string;
  constructor(expected: string) {
    super(`The value must be ${expected}.`);
    this.expected = expected;
  }
}

/**
 * A command that reports mistakes as `UsageError`. Commander has no interface for the wording of its messages, so this
 * overrides the methods that it calls for each mistake; `usage-errors.test.ts` covers all of them.
 */
export class CliCommand extends Command {
  /** Examples of correct usage, as in the help. */
  examples: readonly string[] = [];
  #allowsUnknownOptions = false;
  #allowsExcessArguments = false;

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override allowUnknownOption(allow = true): this {
    this.#allowsUnknownOptions = allow;
    return super.allowUnknownOption(allow);
  }

  override allowExcessArguments(allow = true): this {
    this.#allowsExcessArguments = allow;
    return super.allowExcessArguments(allow);
  }

  unknownCommand(): never {
    throw new UsageError(this, { kind: 'unknown command', name: this.args[0] ?? '' });
  }

  unknownOption(flag: string): void {
    if (!this.#allowsUnknownOptions) throw new UsageError(this, { kind: 'unknown option', flag });
  }

  missingArgument(name: string): never {
    throw new UsageError(this, { kind: 'missing argument', name });
  }

  missingMandatoryOptionValue(option: Option): never {
    throw new UsageError(this, { kind: 'missing option', option });
  }

  optionMissingArgument(option: Option): never {
    throw new UsageError(this, { kind: 'missing value', option });
  }

  _excessArguments(given: readonly string[]): void {
    if (!this.#allowsExcessArguments) throw new UsageError(this, { kind: 'too many arguments', given });
  }
}
