import type { Command, Word, WordPart } from 'unbash';

/** What is known about variables at a place of the script. */
export type Variables = ReadonlyMap<string, string>;

const UNKNOWN = /\$|`/;

/**
 * The text a word stands for, as far as it is known before it runs: quotes removed, known variables and `~` put in.
 * What is not known keeps its `$…` form, so that a rule can see that something is there.
 */
export function wordText(word: Word, variables: Variables): string {
  const text = word.parts === undefined ? word.value : word.parts.map((part) => partText(part, variables)).join('');
  const home = variables.get('HOME');
  // Only an unquoted tilde in front means the home folder.
  if (home !== undefined && /^~(?:\/|$)/.test(word.text)) return home + text.slice(1);
  return text;
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
  const parts = splits ? text.split(/\s+/).filter((part) => part !== '') : [text];
  return word.parts?.some((part) => part.type === 'BraceExpansion') ? parts.flatMap(expandBraces) : parts;
}

/** True where the text still holds something that only the shell knows. */
export function isComputed(text: string): boolean {
  return UNKNOWN.test(text);
}

/** `{a,b}/c` as a/c and b/c, one level: enough to see what a delete is aimed at. */
function expandBraces(text: string): string[] {
  const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(text);
  if (!found) return [text];
  const [, before = '', choices = '', after = ''] = found;
  return choices
    .split(',')
    .flatMap((choice) => expandBraces(before + choice + after))
    .slice(0, 64);
}
