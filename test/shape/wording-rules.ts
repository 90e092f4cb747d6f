import { Visitor } from 'oxc-parser';
import { type Finding, lineAt, parse, type SourceFile } from './source-file.ts';
import { EXCEPTIONS } from './wording-exceptions.ts';
import { NAMES } from './wording-names.ts';
import { PHRASES } from './wording-phrases.ts';

type Range = { start: number; end: number };
type Node = Range & { type: string };

/** Between two words: white space, the margin of a comment, or the joint of two string literals. */
const GAP = String.raw`(?:\s|\*|//|['"\`]\s*\+\s*['"\`])+`;
const UP_TO_THREE_WORDS = String.raw`(?:[\w'-]+ ){0,3}`;

const PATTERNS = PHRASES.map((rule) => ({
  rule,
  pattern: compile(rule.phrase),
  requiredWord: findRequiredWord(rule.phrase),
}));

function compile(phrase: string): RegExp {
  const words = phrase.replaceAll('… ', UP_TO_THREE_WORDS).replaceAll(' ', GAP);
  return new RegExp(String.raw`(?<![\w-])(?:${words})(?![\w-])`, 'gi');
}

/** A word that every match contains, or '' if there is none. Searching for it is much faster than the expression. */
function findRequiredWord(phrase: string): string {
  let fixed = phrase;
  while (/\([^()]*\)/.test(fixed)) fixed = fixed.replaceAll(/\([^()]*\)\??/g, ' ');
  const words = fixed.includes('|') ? [] : (fixed.match(/[a-z]+(?![a-z?])/g) ?? []);
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

/** Finds the phrases of `wording-phrases.ts` in comments and strings, and anywhere in Markdown. */
export function checkPhrases(sources: readonly SourceFile[]): Finding[] {
  return sources.flatMap((source) => {
    const lowerCase = source.text.toLowerCase();
    const possible = PATTERNS.filter(({ requiredWord }) => lowerCase.includes(requiredWord));
    const matches = possible
      .flatMap(({ rule, pattern }) =>
        [...source.text.matchAll(pattern)].map((match) => ({ rule, offset: match.index, found: plain(match[0]) })),
      )
      .filter(({ found }) => !isException(source.path, found));
    if (matches.length === 0) return [];
    // Only these files are parsed, because parsing all of them takes longer than everything else.
    const ranges = source.path.endsWith('.md') ? [{ start: 0, end: source.text.length }] : textRanges(source);
    return matches
      .filter(({ offset }) => ranges.some(({ start, end }) => start <= offset && offset < end))
      .map(({ rule, offset, found }) => ({
        path: source.path,
        line: lineAt(source.text, offset),
        message: `“${found}” ${rule.reason}. Write instead: ${rule.instead}`,
      }));
  });
}

function plain(found: string): string {
  return found.replaceAll(new RegExp(GAP, 'g'), ' ');
}

function isException(path: string, found: string): boolean {
  const text = found.toLowerCase();
  return EXCEPTIONS.some(
    (each) => each.path.test(path) && (each.phrases?.some((phrase) => text.includes(phrase)) ?? true),
  );
}

/** Comments and string literals. */
function textRanges(source: SourceFile): Range[] {
  const { comments, program } = parse(source);
  const ranges: Range[] = [...comments];
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') ranges.push(node);
    },
    TemplateElement: (node) => void ranges.push(node),
  }).visit(program);
  return ranges;
}

/** Finds the words of `wording-names.ts` in the names of variables, parameters, functions, classes and types. */
export function checkNames(sources: readonly SourceFile[]): Finding[] {
  const mayContain = new RegExp(NAMES.map(({ name }) => name.source.replaceAll('^', String.raw`\b`)).join('|'));
  return sources
    .filter(
      ({ path, text }) => !path.endsWith('.md') && !path.startsWith('test/shape/wording') && mayContain.test(text),
    )
    .flatMap((source) =>
      declaredNames(source).flatMap(({ name, offset }) => {
        const rule = NAMES.find((each) => each.name.test(name));
        if (rule === undefined) return [];
        const message = `The name ${name} ${rule.reason}. Write instead: ${rule.instead}`;
        return [{ path: source.path, line: lineAt(source.text, offset), message }];
      }),
    );
}

function declaredNames(source: SourceFile): { name: string; offset: number }[] {
  const names: { name: string; offset: number }[] = [];
  const add = (node: Node | null | undefined): void => {
    if (!node) return;
    if (node.type === 'Identifier') names.push({ name: (node as Node & { name: string }).name, offset: node.start });
    else for (const part of patternParts(node)) add(part);
  };
  const addFunction = (node: { id?: Node | null; params: readonly Node[] }) => {
    add(node.id);
    for (const parameter of node.params) add(parameter);
  };
  const addId = ({ id }: { id: Node | null }) => add(id);
  new Visitor({
    VariableDeclarator: addId,
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    ClassDeclaration: addId,
    TSTypeAliasDeclaration: addId,
    TSInterfaceDeclaration: addId,
  }).visit(parse(source).program);
  return names;
}

/** The bindings inside a destructuring pattern, a default value or a rest element. */
function patternParts(node: Node): (Node | null)[] {
  const { properties, elements, value, left, argument } = node as Node & {
    properties?: Node[];
    elements?: (Node | null)[];
    value?: Node;
    left?: Node;
    argument?: Node;
  };
  if (node.type === 'ObjectPattern') return properties ?? [];
  if (node.type === 'ArrayPattern') return elements ?? [];
  return [value ?? left ?? argument ?? null];
}
