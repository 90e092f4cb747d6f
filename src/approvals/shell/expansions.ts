import type { SyntaxNode, Word, WordPart } from 'unbash';
import type { Reader, ReaderPosition } from './reader.ts';

/** Represents a variable whose name is known only at run time, as in `${!name}`. */
export const ANY_VARIABLE = '${!}';
const NAME = /^[A-Za-z_]\w*$/;

type Parameter = Extract<WordPart, { type: 'ParameterExpansion' }>;

/**
 * The environment variables whose value becomes part of a command: in its words, its here-strings and its
 * here-documents. Variables that the line assigns itself are replaced by those in their value. Expansions that only
 * test for presence or length do not count.
 */
export function expandedVariables(reader: Reader, node: SyntaxNode, place: ReaderPosition): readonly string[] {
  const found = new Set<string>();
  const collect = (child: SyntaxNode): void => {
    if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution' || isBody(child)) return;
    if (child.type === 'SimpleExpansion') add(child.text.slice(1));
    else if (child.type === 'ParameterExpansion') for (const name of namesIn(child, place)) add(name);
    reader.parser.forEachChild(child, collect);
  };
  const add = (name: string) => {
    const value = place.variables.get(name);
    if (value !== undefined) for (const inner of reader.literals.has(name) ? [] : namesInText(value)) found.add(inner);
    else if (name === ANY_VARIABLE || (NAME.test(name) && !reader.assigned.has(name))) found.add(name);
  };
  const isAssignment = (child: SyntaxNode) =>
    node.type === 'Command' && child.type === 'Assignment' && node.prefix.includes(child);
  reader.parser.forEachChild(node, (child) => {
    if (!isAssignment(child)) collect(child);
  });
  return [...found];
}

/** Whether a word is plain or quoted text without any expansion, so that a `$` in it is only a character. */
export function isLiteral({ parts = [] }: Word): boolean {
  return parts.every(
    (part) =>
      ['Literal', 'SingleQuoted', 'AnsiCQuoted'].includes(part.type) ||
      (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal')),
  );
}

function isBody(node: SyntaxNode): boolean {
  return node.type === 'CompoundList' || node.type === 'Statement';
}

/** The variables in the known value of another variable, which is text that still contains `$NAME`. */
function namesInText(text: string): string[] {
  if (!text.includes('$')) return [];
  return [...text.matchAll(/\$\{?([A-Za-z_]\w*)(?!\w)(?!:?\+)/g)].map((found) => found[1] ?? '');
}

function namesIn({ parameter, prefix, index, operation }: Parameter, place: ReaderPosition): string[] {
  if (prefix === '#') return [];
  if (operation?.type === 'Default' && /[+?]/.test(operation.operator)) return [];
  if (prefix !== '!') return [parameter];
  // `${!array[@]}` and `${!prefix*}` expand to names, not to values.
  if (index !== undefined || operation?.type === 'Names') return [];
  const name = place.variables.get(parameter);
  return name !== undefined && NAME.test(name) ? [name] : [ANY_VARIABLE];
}
