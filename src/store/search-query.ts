import { foldText, type Run, splitRuns } from './search/text.ts';

/** A parsed search query: terms and operators. */
export type SearchNode =
  | { kind: 'term'; term: SearchTerm }
  | { kind: 'and' | 'or'; nodes: SearchNode[] }
  | { kind: 'not'; node: SearchNode; without: SearchNode };

/** Consecutive words and runs of unspaced script. A word with hyphens or dots is a phrase of its parts. */
export type SearchTerm = {
  parts: TermPart[];
  prefix: boolean;
  quoted?: boolean;
  /** With `prefix`: only the forms of this word match, not every word with the same beginning. */
  forms?: WordForms;
};

/** A folded word, and which other folded words are forms of it. */
export type WordForms = {
  of: string;
  accepts(word: string): boolean;
  /** The most common forms, whether or not they occur anywhere. */
  likely(): string[];
};

export type TermPart = Run & { folded: string };

const MAX_QUERY_LENGTH = 2_048;
const MAX_TERMS = 32;
const MAX_PARTS = 32;
const MAX_GROUP_DEPTH = 8;

type Operator = 'AND' | 'OR' | 'NOT';
type Token = { kind: 'term'; term: SearchTerm } | { kind: Operator } | { kind: '(' | ')' };

// A quoted phrase, a parenthesis or a word; a quotation mark without a partner matches none of them and is skipped.
const LEXEME = /"([^"]*)"(\*?)|([()])|([^\s()"]+)/g;

/** Parses a query. Never throws: invalid parts are ignored, and undefined is returned if nothing is left. */
export function parseSearchQuery(text: string): SearchNode | undefined {
  const tokens = joinAndNot(dropUnbalanced(tokenize(text.slice(0, MAX_QUERY_LENGTH))));
  return createParser(tokens)();
}

/** Whether a query contains anything searchable: punctuation and emoji are not in any index. */
export function isSearchable(text: string): boolean {
  return parseSearchQuery(text) !== undefined;
}

/** The terms that a hit should contain, without those after a NOT. */
export function wantedTerms(node: SearchNode): SearchTerm[] {
  switch (node.kind) {
    case 'term':
      return [node.term];
    case 'not':
      return wantedTerms(node.node);
    default:
      return node.nodes.flatMap(wantedTerms);
  }
}

/** What a hit must not contain. */
export function unwantedNodes(node: SearchNode): SearchNode[] {
  switch (node.kind) {
    case 'term':
      return [];
    case 'not':
      return [...unwantedNodes(node.node), node.without];
    default:
      return node.nodes.flatMap(unwantedNodes);
  }
}

/**
 * Whether messages that have only some of the words are worth looking for: not if enough messages match the query
 * itself, and not if some do and the query says exactly what it wants, with quotation marks, prefixes or operators.
 */
export function wantsNearest(node: SearchNode, found: number, shown: number): boolean {
  return found < shown && (found === 0 || isPlain(node));
}

function isPlain(node: SearchNode): boolean {
  if (node.kind === 'term') return !node.term.quoted && !node.term.prefix;
  return node.kind === 'and' && node.nodes.every(isPlain);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let terms = 0;
  for (const [, phrase, star, group, word = ''] of text.matchAll(LEXEME)) {
    if (group === '(' || group === ')') {
      tokens.push({ kind: group });
    } else if (word === 'AND' || word === 'OR' || word === 'NOT') {
      tokens.push({ kind: word });
    } else if (terms < MAX_TERMS) {
      const term = readTerm(phrase ?? word, phrase === undefined ? word.endsWith('*') : star === '*');
      if (term === undefined) continue;
      tokens.push({ kind: 'term', term: phrase === undefined ? term : { ...term, quoted: true } });
      terms += 1;
    }
  }
  return tokens;
}

function readTerm(text: string, starred: boolean): SearchTerm | undefined {
  // Normalised, so that a letter typed as two characters equals the same letter typed as one.
  const runs = splitRuns(text.normalize('NFC')).slice(0, MAX_PARTS);
  const parts = runs.map((run) => ({ ...run, folded: foldText(run.text).text })).filter(({ folded }) => folded !== '');
  const last = parts.at(-1);
  // A `*` after unspaced script is ignored, because such text is matched inside its runs anyway.
  return last === undefined ? undefined : { parts, prefix: starred && last.kind === 'word' };
}

/** `a AND NOT b` means `a NOT b`, which is the only one of the two that FTS5 knows. */
function joinAndNot(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ kind }, index) => {
    const before = tokens[index - 1]?.kind;
    return !(kind === 'AND' && tokens[index + 1]?.kind === 'NOT' && (before === 'term' || before === ')'));
  });
}

/** Removes parentheses without a partner, and those that are nested too deeply. */
function dropUnbalanced(tokens: readonly Token[]): Token[] {
  const dropped = new Set<Token>();
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind === '(') open.push(token);
    if (token.kind !== ')') continue;
    const partner = open.pop();
    if (partner === undefined || open.length >= MAX_GROUP_DEPTH) dropped.add(token);
    if (partner !== undefined && open.length >= MAX_GROUP_DEPTH) dropped.add(partner);
  }
  for (const token of open) dropped.add(token);
  return tokens.filter((token) => !dropped.has(token));
}

/**
 * The precedence of FTS5: adjacent words bind most tightly, then NOT, AND, OR. An operator with a missing operand is
 * ignored.
 */
function createParser(tokens: readonly Token[]): () => SearchNode | undefined {
  let index = 0;
  const accept = (kind: Token['kind']) => {
    const found = tokens[index]?.kind === kind;
    if (found) index += 1;
    return found;
  };
  const chain = (operator: Operator, side: () => SearchNode | undefined) => {
    const sides = [side()];
    while (accept(operator)) sides.push(side());
    return sides.filter((node) => node !== undefined);
  };
  const adjacent = () => {
    const nodes: SearchNode[] = [];
    for (;;) {
      const token = tokens[index];
      if (token?.kind === 'term') nodes.push(token);
      else if (token?.kind !== '(') return join('and', nodes);
      index += 1;
      if (token.kind === '(') nodes.push(...group());
    }
  };
  const group = () => {
    const node = either();
    accept(')');
    return node === undefined ? [] : [node];
  };
  const without = () => {
    const [node, ...rest] = chain('NOT', adjacent);
    const excluded = join('or', rest);
    return node === undefined || excluded === undefined ? node : { kind: 'not' as const, node, without: excluded };
  };
  const both = () => join('and', chain('AND', without));
  const either = (): SearchNode | undefined => join('or', chain('OR', both));
  return either;
}

function join(kind: 'and' | 'or', nodes: SearchNode[]): SearchNode | undefined {
  return nodes.length > 1 ? { kind, nodes } : nodes[0];
}
