import type { Command, Word, WordPart } from 'unbash';
import { expandBraces } from '../util/index.ts';

/** What is known about variables at a place of the script. */
export type Variables = ReadonlyMap<string, string>;

const UNKNOWN = /\$|`/;

/**
 * The text a word stands for, as far as it is known before it runs: quotes removed, known variables and `~` put in.
 * What is not known keeps its `$…` form, so that a rule can see that something is there.
 */
export function wordText(word: Word, variables: Variables): string {
  const text = word.parts === undefined ? word.value : word.parts.map((part) => partText(part, variables)).join('');
  // Only an unquoted tilde in front means a home folder, or behind the first `=`.
  const tilde = /^(\w+=)?~([\w.-]*)(?=\/|$)/.exec(word.text);
  if (!tilde) return text;
  const [whole, before = '', user = ''] = tilde;
  const home = user === '' ? variables.get('HOME') : homeOf(user);
  return home === undefined ? text : before + home + text.slice(whole.length);
}

/** The usual place: nothing is looked up on the machine. */
function homeOf(user: string): string {
  return user === 'root' ? '/root' : `/home/${user}`;
}

function partText(part: WordPart, variables: Variables): string {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((child) => partText(child, variables)).join('');
    case 'SimpleExpansion':
      return lookUp(part.text.slice(1), variables) ?? part.text;
    case 'ParameterExpansion':
      return parameterText(part, variables);
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'Glob':
      return part.value;
    default:
      return part.text;
  }
}

function parameterText(part: Extract<WordPart, { type: 'ParameterExpansion' }>, variables: Variables): string {
  const value = part.prefix === undefined ? lookUp(part.parameter, variables) : undefined;
  if (value !== undefined) return value;
  const { operation } = part;
  if (operation?.type === 'Default' && /-|=/.test(operation.operator)) return wordText(operation.operand, variables);
  return part.text;
}

function lookUp(name: string, variables: Variables): string | undefined {
  return name === 'IFS' ? ' ' : variables.get(name);
}

/** The words of a simple command, its name first. */
export function commandWords(node: Command, variables: Variables): string[] {
  const words = node.name === undefined ? [] : [node.name, ...node.args];
  return words.flatMap((word) => (word.type === 'Assignment' ? [word.text] : splitWord(word, variables)));
}

function splitWord(word: Word, variables: Variables): string[] {
  const text = wordText(word, variables);
  // The shell splits what an unquoted variable holds at its blanks, and ${IFS} is such a blank.
  const splits = word.parts?.some(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion');
  const parts = splits ? splitFields(text, variables.get('IFS') ?? '') : [text];
  return word.parts?.some((part) => part.type === 'BraceExpansion') ? parts.flatMap(expandBraces) : parts;
}

/** At blanks, and at the separators the script has set. */
function splitFields(text: string, separators: string): string[] {
  return [...text]
    .map((letter) => (separators.includes(letter) ? ' ' : letter))
    .join('')
    .split(/\s+/)
    .filter((part) => part !== '');
}

/** True where the text still holds something that only the shell knows. */
export function isComputed(text: string): boolean {
  return UNKNOWN.test(text);
}

/** True for the name of a command that only the shell knows, or only the files that are there. */
export function isComputedName(name: string): boolean {
  return UNKNOWN.test(name) || /[*?]|\[.+\]/.test(name);
}
