import { ConfigurationError } from '../base/index.ts';
import { variableLocation, type Settings } from '../config/index.ts';
import type { ProviderCommand } from './provider-row.ts';

/** The model command of a provider, from its row and the user's settings. */
export type ChosenCommand = {
  program: string;
  arguments: readonly string[];
  /** Variables of the command itself, including its login. It receives them even if they contain a secret. */
  variables: Readonly<Record<string, string>>;
  hints: { install: string; login: string };
};

export function chooseCommand(settings: Settings, row: ProviderCommand): ChosenCommand {
  const { variables } = settings;
  const program = (row.programVariables ?? []).map((name) => variables[name]?.trim()).find(Boolean);
  const written = row.argumentsVariable === undefined ? undefined : variables[row.argumentsVariable]?.trim();
  const own = Object.entries(variables).filter(([name, value]) => value && name.startsWith(row.variablePrefix));
  return {
    program: program ?? row.program,
    arguments: written ? readArguments(settings, row.argumentsVariable ?? '', written) : row.arguments,
    variables: Object.fromEntries(own) as Record<string, string>,
    hints: { install: row.install, login: row.login },
  };
}

function readArguments(settings: Settings, name: string, written: string): string[] {
  const words = splitWords(written);
  if (words !== undefined) return words;
  throw new ConfigurationError(`${variableLocation(settings, name)} has an unclosed quote.`, {
    hint: 'Close the quote, or escape a literal one with a backslash.',
  });
}

const WORD = /(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/gy;

/** Splits a line into words like a shell, without expansions; undefined if a quote is not closed. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    WORD.lastIndex = 0;
    const word = WORD.exec(rest)?.[0];
    if (word === undefined) return undefined;
    rest = rest.slice(word.length);
    // A word that does not end at whitespace or at the end of the line has an unclosed quote.
    if (rest !== '' && !/^\s/.test(rest)) return undefined;
    rest = rest.trimStart();
    words.push(word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g, unquote));
  }
  return words;
}

function unquote(_: string, single?: string, double?: string, escaped?: string): string {
  return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? '';
}
