import type { Command } from 'commander';
import { ConfigurationError } from '../../../base/index.ts';
import { nearestNames } from '../../../util/index.ts';
import { wrapText } from '../../../util/text-width.ts';
import type { CommandRow } from './command-row.ts';

/** The most common options of a chat; `hermes chat --help` lists all. */
const COMMON_OPTIONS = [
  'query',
  'final',
  'continue',
  'resume',
  'model',
  'provider',
  'yolo',
  'profile',
  'version',
  'help',
];

/** `hermes --help` lists every command on one line and fits on a screen. The help of a command is complete. */
export function useBriefHelp(program: Command): void {
  const help = program.createHelp();
  program.configureHelp({
    visibleOptions: (command) =>
      help.visibleOptions(command).filter((option) => COMMON_OPTIONS.includes(option.name())),
    visibleArguments: () => [],
    subcommandTerm: (command) => command.name(),
  });
}

/** `hermes help sessions list` is `hermes sessions list --help`; everything else stays as it is. */
export function toHelpCall(argv: readonly string[], program: Command): readonly string[] {
  if (argv[0] !== 'help') return argv;
  const path = argv.slice(1).filter((word) => !word.startsWith('-'));
  let command = program;
  for (const [depth, word] of path.entries()) {
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (child === undefined) {
      const names = command.commands.map((candidate) => candidate.name());
      // `hermes help me …` may also be the start of a prompt.
      throw unknownCommand(path.slice(0, depth + 1), names, ['help', ...path]);
    }
    command = child;
  }
  return [...path, '--help'];
}

const MAX_SUGGESTIONS = 2;

/** `path` is the command up to the unknown word, and `prompt` what may have been meant as a prompt. */
function unknownCommand(
  path: readonly string[],
  names: readonly string[],
  prompt: readonly string[],
): ConfigurationError {
  const [known, word = ''] = [path.slice(0, -1), path.at(-1)];
  const near = nearestNames(word, names, MAX_SUGGESTIONS).map((name) => `\`${['hermes', ...known, name].join(' ')}\``);
  const perhaps = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '`hermes --help` lists all commands.';
  const asked = known.length > 0 ? '' : ` To ask a model, run \`hermes -q "${prompt.join(' ')}"\`.`;
  return new ConfigurationError(`Unknown command "${path.join(' ')}".`, { hint: perhaps + asked });
}

const USUAL_COLUMNS = 80;

/** Wraps paragraphs at the width of the terminal. Indented lines, such as options and examples, do not change. */
export function wrapHelp(text: string, columns = USUAL_COLUMNS): string {
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const isWords = line !== '' && !line.startsWith(' ');
    if (isWords && isOpen) paragraphs[paragraphs.length - 1] += ` ${line}`;
    else paragraphs.push(line);
    isOpen = isWords;
  }
  return paragraphs.flatMap((line) => (line.startsWith(' ') ? [line] : wrapText(line, columns))).join('\n');
}

/**
 * What could be meant as a command. Not every text without a space is one word: Chinese and Japanese sentences have
 * none. A slash command, an option and a question are not one either.
 */
export const SINGLE_WORD = /^(?![/-]|.*[?!]$)[!-~\p{Script=Latin}]+$/u;

/**
 * Throws if the first argument is a single word, such as in `hermes sesions list` or `hermes deploy`. It would otherwise
 * be sent to a paid model as a prompt. A prompt is quoted, so its first argument has a space in it.
 */
export function rejectUnknownCommand(words: readonly string[], commands: readonly CommandRow[]): void {
  const [first] = words;
  if (first === undefined || !SINGLE_WORD.test(first)) return;
  const names = commands.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  throw unknownCommand([first], names, words);
}
