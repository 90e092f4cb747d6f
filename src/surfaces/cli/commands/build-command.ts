import { Argument, type Command, Option } from 'commander';
import type { CliRequest } from '../chat-options.ts';
import { VERSION } from '../version.ts';
import { PROGRAM, type RawChatOptions, toChatOptions } from './chat-command.ts';
import { CliCommand, InvalidValue, UsageError, type UsageMistake } from './cli-command.ts';
import type { CommandCall, CommandRow, ValueRow } from './command-row.ts';
import { parseChoice } from './option-values.ts';

export type OnRequest = (request: CliRequest) => void;

/**
 * Builds the parser of `hermes` without its commands. `checkPrompt` is called with the words of a prompt and may
 * throw.
 */
export function buildProgram(found: OnRequest, checkPrompt: (words: readonly string[]) => void): CliCommand {
  const program = new CliCommand(PROGRAM.name)
    .description(PROGRAM.about)
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    // Options after a command name belong to that command.
    .enablePositionalOptions()
    .hook('preAction', (_, command) => inheritJsonOption(command));
  return addDetails(program, PROGRAM).action((words: string[], raw: RawChatOptions) => {
    checkPrompt(words);
    found({ kind: 'chat', options: toChatOptions(words, raw) });
  });
}

/** Adds a command with its arguments, options and sub-commands. */
export function addCommand(parent: CliCommand, row: CommandRow, found: OnRequest): void {
  const command = addDetails(addOutline(parent, row), row);
  for (const child of row.commands ?? []) addCommand(command, child, found);
  if (row.isChat) {
    command.action((words: string[], _raw: RawChatOptions) =>
      found({ kind: 'chat', options: toChatOptions(words, command.optsWithGlobals()) }),
    );
  } else if (row.commands === undefined) {
    command.action((...given: unknown[]) => {
      // After the arguments, commander passes the options and the command.
      const values = given.slice(0, -2);
      found(toRequest(row, values, command));
    });
  } else {
    command.helpCommand(false);
    if (row.run !== undefined) runWithoutSubcommand(command, () => found(toRequest(row, [], command)));
  }
}

/** Adds a command without its options and code: only what the help of its parent shows. */
export function addOutline(
  parent: CliCommand,
  { name, aliases = [], group, about, summary, isHidden }: CommandRow,
): CliCommand {
  const command = parent.createCommand(name).copyInheritedSettings(parent).description(about).aliases(aliases);
  parent.addCommand(command, { hidden: isHidden ?? false });
  if (summary !== undefined) command.summary(summary);
  if (group !== undefined) command.helpGroup(group);
  return command;
}

function addDetails(command: CliCommand, row: CommandRow): CliCommand {
  for (const argument of row.arguments ?? []) command.addArgument(toArgument(command, argument));
  for (const option of row.options ?? []) command.addOption(toOption(command, option));
  if (row.allowsUnknownOptions) command.allowUnknownOption();
  if (row.examples.length > 0) command.addHelpText('after', helpAfter(row));
  command.examples = row.examples;
  return command;
}

function toArgument(command: CliCommand, row: ValueRow): Argument {
  const { form, about, choices, default: value } = row;
  const argument = new Argument(form, about);
  // Also shown in the help; the parser below replaces its check.
  if (choices !== undefined) argument.choices(choices);
  const parse = valueParser(row);
  if (parse !== undefined) {
    argument.argParser((text, before) =>
      reportInvalid(
        command,
        () => parse(text, before),
        (expected) => {
          const mistake = { kind: 'invalid argument', name: argument.name(), value: text, expected } as const;
          return choices === undefined ? mistake : { ...mistake, choices };
        },
      ),
    );
  }
  return value === undefined ? argument : argument.default(value);
}

function toOption(command: CliCommand, row: ValueRow): Option {
  const { form, about, choices, default: value, isRequired } = row;
  const option = new Option(form, about).makeOptionMandatory(isRequired ?? false);
  if (choices !== undefined) option.choices(choices);
  const parse = valueParser(row);
  if (parse !== undefined) {
    option.argParser((text, before) =>
      reportInvalid(
        command,
        () => parse(text, before),
        (expected) => ({
          kind: 'invalid option value',
          option,
          value: text,
          expected,
        }),
      ),
    );
  }
  return value === undefined ? option : option.default(value);
}

function valueParser({ parse, choices }: ValueRow): ValueRow['parse'] {
  return parse ?? (choices === undefined ? undefined : parseChoice(choices));
}

function reportInvalid<T>(command: CliCommand, parse: () => T, describe: (expected: string) => UsageMistake): T {
  try {
    return parse();
  } catch (thrown) {
    throw thrown instanceof InvalidValue ? new UsageError(command, describe(thrown.expected)) : thrown;
  }
}

/** The notes and examples at the end of a help text. */
function helpAfter({ notes, examples, examplesHeading }: CommandRow): string {
  const heading = examplesHeading ?? (examples.length === 1 ? 'Example' : 'Examples');
  const lines = examples.map((line) => `  ${line}`).join('\n');
  return `${notes === undefined ? '' : `\n${notes}\n`}\n${heading}:\n${lines}`;
}

function toRequest(row: CommandRow, values: readonly unknown[], command: Command): CliRequest {
  const options: CommandCall['options'] = command.opts();
  return {
    kind: 'command',
    run: async (io, signal, run) => (await row.run?.({ values, options, io, signal, run })) ?? 0,
  };
}

/** Runs a command with sub-commands if none is named. Any other word is reported as an unknown command. */
function runWithoutSubcommand(command: CliCommand, act: () => void): void {
  command.allowExcessArguments().action(() => {
    if (command.args.length > 0) command.unknownCommand();
    act();
  });
}

/** `hermes --json sessions list` means the same as `hermes sessions list --json`. */
function inheritJsonOption(command: Command): void {
  const takesJson = command.options.some((option) => option.long === '--json');
  for (let above = command.parent; above !== null; above = above.parent) {
    if (above.opts()['json'] === true && takesJson) command.setOptionValue('json', true);
  }
}
