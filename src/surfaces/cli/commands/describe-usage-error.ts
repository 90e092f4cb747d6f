import type { Option } from 'commander';
import { distance } from 'fastest-levenshtein';
import { joinWithOr, nearestNames } from '../../../util/index.ts';
import type { Report } from '../report-error.ts';
import type { CliCommand, UsageError, UsageMistake } from './cli-command.ts';

/** The wording of every mistake that the parser can find: what was wrong, the value, and what to do. */
export function describeUsageError({ command, mistake }: UsageError): Report {
  // `hermes --help` lists only the most common options.
  const path = command.parent === null ? `${pathOf(command)} chat` : pathOf(command);
  const help = `Run \`${path} --help\` for usage.`;
  const { message, hint } = describe(command, mistake);
  return { message, hint: hint === undefined ? help : `${hint} ${help}` };
}

function describe(command: CliCommand, mistake: UsageMistake): Report {
  switch (mistake.kind) {
    case 'unknown command':
      return describeUnknownCommand(command, mistake.name);
    case 'unknown option':
      return describeUnknownOption(command, mistake.flag);
    case 'missing argument':
      return { message: `\`${pathOf(command)}\` requires <${mistake.name}>${meaning(command, mistake.name)}.` };
    case 'missing option':
      return { message: `\`${pathOf(command)}\` requires \`${mistake.option.flags}\`.`, hint: exampleOf(command) };
    case 'missing value':
      return { message: `\`${mistake.option.flags}\` requires a value.` };
    case 'invalid option value': {
      const { option, expected, value } = mistake;
      return { message: `\`${nameOf(option)}\` expects ${expected}, not ${quote(value)}.` };
    }
    case 'invalid argument':
      return describeInvalidArgument(mistake);
    case 'too many arguments':
      return describeTooMany(command, mistake.given);
  }
}

function describeInvalidArgument(mistake: UsageMistake & { kind: 'invalid argument' }): Report {
  const { name, value, expected, choices } = mistake;
  return choices === undefined
    ? { message: `<${name}> must be ${expected}, not ${quote(value)}.` }
    : { message: `${quote(value)} is not a supported ${name}. Use ${expected}.` };
}

function describeTooMany(command: CliCommand, given: readonly string[]): Report {
  const accepted = command.registeredArguments.length;
  const [first = ''] = given.slice(accepted);
  const limit = accepted === 0 ? 'no arguments' : accepted === 1 ? 'only one argument' : `only ${accepted} arguments`;
  return {
    message: `\`${pathOf(command)}\` accepts ${limit}, but ${quote(first)} was ${accepted === 0 ? '' : 'also '}given.`,
    hint: accepted === 0 ? undefined : 'Put a value with spaces in quotes.',
  };
}

/** Verbs that other programs use for the same command. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['show', 'view', 'inspect', 'info', 'get', 'cat', 'print', 'read', 'describe'],
  ['list', 'ls', 'all'],
  ['remove', 'rm', 'delete', 'del', 'uninstall', 'forget', 'revoke'],
  ['add', 'create', 'new', 'install', 'submit', 'allow'],
  ['set', 'use', 'change', 'edit', 'update'],
  ['search', 'find', 'grep'],
  ['run', 'start', 'exec'],
  ['check', 'validate', 'verify', 'audit', 'test'],
];

function describeUnknownCommand(command: CliCommand, name: string): Report {
  const path = pathOf(command);
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name());
  const synonyms = SYNONYMS.find((group) => group.includes(name)) ?? [];
  const near = findTypo(name, names) ?? names.find((each) => synonyms.includes(each));
  const message = `Unknown command \`${path} ${name}\`.`;
  if (near !== undefined) return { message: `${message} Did you mean \`${path} ${near}\`?` };
  return { message, hint: `Use ${joinWithOr(names)}.` };
}

function describeUnknownOption(command: CliCommand, flag: string): Report {
  const [name, value] = splitOnce(flag);
  const known = command.options.find(({ short, long }) => short === name || long === name);
  if (known !== undefined && value !== undefined)
    return { message: `\`${name}\` takes no value, but ${quote(value)} was given.` };
  const word = name.replace(/^-+/, '');
  const near = findTypo(word, optionNames(command));
  const suggestion = near === undefined ? '' : ` Did you mean \`--${near}\`?`;
  return { message: `Unknown option \`${name}\`.${suggestion}` };
}

/** The name that was probably meant: it differs in at most two of five letters, or begins with the word. */
function findTypo(word: string, names: readonly string[]): string | undefined {
  const [near] = word.length < 2 ? [] : nearestNames(word, names, 1);
  if (near === undefined || near.startsWith(word)) return near;
  return distance(word, near) <= Math.max(1, Math.floor(word.length * 0.4)) ? near : undefined;
}

/** `--help` is not suggested, because the hint mentions it anyway. */
function optionNames(command: CliCommand): string[] {
  return command.options.flatMap(({ long }) => (typeof long === 'string' ? [long.slice(2)] : []));
}

function splitOnce(flag: string): [name: string, value?: string] {
  const at = flag.indexOf('=');
  return at < 0 ? [flag] : [flag.slice(0, at), flag.slice(at + 1)];
}

/** For example ` (session id, the start of one, or a title)`. */
function meaning(command: CliCommand, name: string): string {
  const about = command.registeredArguments.find((argument) => argument.name() === name)?.description ?? '';
  return about === '' ? '' : ` (${about})`;
}

function exampleOf({ examples: [example] }: CliCommand): string | undefined {
  return example === undefined ? undefined : `For example: \`${example}\`.`;
}

function nameOf({ long, short, flags }: Option): string {
  return long ?? short ?? flags;
}

function quote(value: string): string {
  return value === '' ? 'an empty value' : `\`${value}\``;
}

/** For example `hermes sessions list`. */
function pathOf(command: CliCommand): string {
  const names: string[] = [];
  for (let at: CliCommand['parent'] | CliCommand = command; at !== null; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
