import type { ParameterOperation, Word } from 'unbash';

/** Patterns are tried from every place, so long texts are not worth the time. */
const MAX_LENGTH = 500;
const MAX_PATTERN = 20;

/** What `${value…}` gives; undefined where it is not worth working out. */
export function applyOperation(
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
  // The shortest end: as much as possible stays in front.
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
