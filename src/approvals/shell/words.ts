import type { Command, ParameterOperation, Word, WordPart } from 'unbash';
import { expandBraces } from '../../util/index.ts';

/** The maximum length of a value that is expanded, because patterns are tried at every offset. */
const MAX_LENGTH = 500;
const MAX_PATTERN = 20;

/** What is known at a position in a script: its variables, and the output of substitutions. */
export type Scope = {
  variables: ReadonlyMap<string, string>;
  directory: string;
  output(part: Extract<WordPart, { type: 'CommandExpansion' | 'ProcessSubstitution' }>): string | undefined;
};

const UNKNOWN = /\$|`/;
/** The maximum number of words from one brace expansion. */
const MAX_BRACES = 400;

/**
 * Expands a word as far as possible without running anything: removes quotes and inserts known variables and `~`. An
 * unknown expansion keeps its `$…` form, so that rules can detect it.
 */
export function wordText(word: Word, scope: Scope): string {
  const text = word.parts === undefined ? word.value : word.parts.map((part) => partText(part, scope)).join('');
  // A tilde means a home directory only if it is unquoted and at the start or after the first `=`.
  const tilde = /^(\w+=)?~([\w.-]*|\+)(?=\/|$)/.exec(word.text);
  if (!tilde) return text;
  const [whole, before = '', user = ''] = tilde;
  const home = homeOf(user, scope);
  return home === undefined ? text : before + home + text.slice(whole.length);
}

/** The directory that `~user`, `~+` or `~-` means. For other users it is the conventional one. */
function homeOf(user: string, { variables, directory }: Scope): string | undefined {
  if (user === '' || user === variables.get('USER')) return variables.get('HOME');
  if (user === '+') return directory;
  if (user === '-') return variables.get('OLDPWD');
  return user === 'root' ? '/root' : `/home/${user}`;
}

function partText(part: WordPart, scope: Scope): string {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((child) => partText(child, scope)).join('');
    case 'SimpleExpansion':
      return lookUp(part.text.slice(1), scope) ?? part.text;
    case 'ParameterExpansion':
      return parameterText(part, scope);
    case 'CommandExpansion':
      return scope.output(part) ?? part.text;
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'Glob':
      return part.value;
    default:
      return part.text;
  }
}

function parameterText(part: Extract<WordPart, { type: 'ParameterExpansion' }>, scope: Scope): string {
  const { operation, prefix } = part;
  const name = part.index === undefined ? part.parameter : `${part.parameter}[${part.index.value}]`;
  const direct =
    lookUp(name, scope) ?? (part.index === undefined ? undefined : elementOf(part.parameter, part.index.value, scope));
  if (prefix === '#') return direct === undefined ? part.text : String(direct.length);
  const value = prefix === '!' && direct !== undefined ? lookUp(direct, scope) : direct;
  if (operation === undefined) return value ?? part.text;
  const operand = (word: Word) => wordText(word, scope);
  if (operation.type === 'Default') {
    if (operation.operator.includes('+')) return value === undefined ? part.text : operand(operation.operand);
    return value ?? (/[-=]/.test(operation.operator) ? operand(operation.operand) : part.text);
  }
  return (value === undefined ? undefined : applyOperation(value, operation, operand)) ?? part.text;
}

/** All elements of an array are stored under `name[@]`, separated by spaces. */
function elementOf(name: string, index: string, scope: Scope): string | undefined {
  const all = scope.variables.get(`${name}[@]`);
  if (index === '*') return all;
  return /^\d+$/.test(index) ? all?.split(' ')[Number(index)] : undefined;
}

function lookUp(name: string, { variables, directory }: Scope): string | undefined {
  if (name === 'PWD') return directory;
  return name === 'IFS' ? ' ' : variables.get(name);
}

/** The words of a simple command, its name first. */
export function commandWords(node: Command, scope: Scope): string[] {
  const words = node.name === undefined ? [] : [node.name, ...node.args];
  return words.flatMap((word) => (word.type === 'Assignment' ? [assignmentText(word, scope)] : splitWord(word, scope)));
}

function assignmentText(node: Extract<Command['args'][number], { type: 'Assignment' }>, scope: Scope): string {
  return node.value.type === 'Word' ? `${node.name}=${wordText(node.value, scope)}` : node.text;
}

/** Expands a word with word splitting and brace expansion. */
export function splitWord(word: Word, scope: Scope): string[] {
  const text = wordText(word, scope);
  const fields = splits(word.parts) ? splitFields(text, scope.variables.get('IFS') ?? '') : [text];
  const braces = word.parts?.some((part) => part.type === 'BraceExpansion') ?? false;
  return braces ? fields.flatMap((field) => expandRanges(field).slice(0, MAX_BRACES)) : fields;
}

/**
 * The shell splits unquoted expansions at whitespace; `"$@"` and `"${a[@]}"` expand to several words even in quotes.
 */
function splits(parts: readonly WordPart[] | undefined): boolean {
  return (
    parts?.some((part) => {
      if (part.type === 'DoubleQuoted') return part.parts.length === 1 && isList(part.parts[0]);
      return ['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion'].includes(part.type);
    }) ?? false
  );
}

function isList(part: WordPart | undefined): boolean {
  if (part?.type === 'SimpleExpansion') return part.text === '$@';
  return part?.type === 'ParameterExpansion' && (part.parameter === '@' || part.index?.value === '@');
}

/** Splits at whitespace and at the separators in IFS. An unknown substitution stays one word. */
function splitFields(text: string, separators: string): string[] {
  if (/\$\(|`/.test(text)) return [text];
  return [...text]
    .map((letter) => (separators.includes(letter) ? ' ' : letter))
    .join('')
    .split(/\s+/)
    .filter((part) => part !== '');
}

/** Expands ranges such as `{a..c}` first, then lists such as `{a,b}`. */
export function expandRanges(text: string): string[] {
  const spelled = text.replace(/\{(\w)\.\.(\w)\}/g, (whole, first: string, last: string) => {
    const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
    if (to < from || to - from > 60) return whole;
    const letters = Array.from({ length: to - from + 1 }, (_, offset) => String.fromCharCode(from + offset));
    return letters.length === 1 ? (letters[0] ?? '') : `{${letters.join(',')}}`;
  });
  return expandBraces(spelled);
}

/** Whether the text still contains an expansion whose value is unknown. */
export function isComputed(text: string): boolean {
  return UNKNOWN.test(text);
}

/** Variables that conventionally hold the name of a well-known program. */
const CONVENTIONAL: Readonly<Record<string, string>> = {
  SHELL: 'bash',
  BASH: 'bash',
  SUDO: 'sudo',
  EDITOR: 'editor',
  VISUAL: 'editor',
  PAGER: 'pager',
  BROWSER: 'browser',
  CC: 'cc',
  CXX: 'c++',
  LD: 'ld',
  AR: 'ar',
  PYTHON: 'python',
  PYTHON3: 'python3',
  PIP: 'pip',
  NODE: 'node',
  NPM: 'npm',
  RUBY: 'ruby',
  PERL: 'perl',
  JAVA: 'java',
  GO: 'go',
  CARGO: 'cargo',
  MAKE: 'make',
  CMAKE: 'cmake',
  DOCKER: 'docker',
  KUBECTL: 'kubectl',
  GIT: 'git',
  TERRAFORM: 'terraform',
  ADB: 'adb',
  RUSTC: 'rustc',
};

/** The program that a variable such as `$CC` conventionally holds, if its value is unknown. */
export function conventionalName(word: string): string | undefined {
  const name = /^\$\{?(\w+)\}?$/.exec(word)?.[1];
  return name !== undefined && Object.hasOwn(CONVENTIONAL, name) ? CONVENTIONAL[name] : undefined;
}

/** Whether a command name depends on an unknown expansion or on the files that a glob matches. */
export function isComputedName(name: string): boolean {
  return UNKNOWN.test(name) || hasGlob(name);
}

export function hasGlob(name: string): boolean {
  return /[*?]|\[.+\]/.test(name);
}

/** The result of a parameter expansion `${value…}`; undefined for forms that are not evaluated. */
function applyOperation(
  value: string,
  operation: ParameterOperation,
  text: (word: Word) => string,
): string | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  switch (operation.type) {
    case 'Slice':
      return slice(value, text(operation.offset), operation.length && text(operation.length));
    case 'CaseModification':
      return changeCase(value, operation.operator);
    case 'Replace':
      return replace(value, operation.operator, text(operation.pattern), text(operation.replacement));
    case 'Remove':
      return remove(value, operation.operator, text(operation.operand));
    default:
      return undefined;
  }
}

function slice(value: string, from: string, count: string | undefined): string | undefined {
  const [start, length] = [Number(from), count === undefined ? undefined : Number(count)];
  if (!Number.isInteger(start) || (length !== undefined && !Number.isInteger(length))) return undefined;
  const rest = value.slice(start);
  if (length === undefined) return rest;
  return length < 0 ? rest.slice(0, length) : rest.slice(0, length);
}

function changeCase(value: string, operator: string): string {
  const change = (part: string) => (operator.startsWith('^') ? part.toUpperCase() : part.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

function replace(value: string, operator: string, pattern: string, replacement: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  const body = globSource(pattern);
  const source = operator === '/#' ? `^(?:${body})` : operator === '/%' ? `(?:${body})$` : body;
  return value.replace(new RegExp(source, operator === '//' ? 'gs' : 's'), () => replacement);
}

function remove(value: string, operator: string, pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  const greedy = operator.length === 2;
  const body = globSource(pattern, greedy);
  if (operator.startsWith('#')) return value.replace(new RegExp(`^(?:${body})`, 's'), '');
  // For the shortest suffix, the part before it must match greedily.
  return value.replace(new RegExp(`^(${greedy ? '.*?' : '.*'})(?:${body})$`, 's'), '$1');
}

/** A shell pattern as the source of a regular expression. */
export function globSource(pattern: string, greedy = true): string {
  return pattern
    .replace(/[\\^$.|+(){}]/g, '\\$&')
    .replace(/\*+/g, greedy ? '.*' : '.*?')
    .replaceAll('?', '.')
    .replace(/\[!/g, '[^')
    .replace(/\[(?![^\]]*\])/g, '\\[');
}
