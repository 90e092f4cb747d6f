import type { SearchNode, SearchTerm } from '../search-query.ts';
import { requiredTerms } from '../search/index-terms.ts';
import type { Connection } from './connection.ts';

/**
 * What to request from an index: an expression, everything or nothing. It may match more than the query, never less;
 * `exact` means that it matches nothing else.
 */
export type Plan = { match: Match; exact: boolean };
type Match = { expression: string } | 'everything' | 'nothing';

type IndexKind = 'contents' | 'terms';

/** The maximum number of words that a prefix is expanded to; with more, texts are compared instead. */
const MAX_WORDS = 64;
/** The maximum number of words that are checked for being a form of another; with more, likely forms are tried. */
const MAX_FORMS = 100;

// Each word is found by jumping past the previous one, because listing them would read all positions of each.
const wordsIn = (table: string) => `WITH RECURSIVE words(word) AS (
SELECT (SELECT term FROM ${table} WHERE term >= ?3 LIMIT 1) UNION ALL
SELECT (SELECT term FROM ${table} WHERE term >= word || char(1) LIMIT 1) FROM words
WHERE substr(word, 1, length(?1)) = ?1)
SELECT word FROM words WHERE substr(word, 1, length(?1)) = ?1 LIMIT ?2`;
const WORDS = { contents: wordsIn('messages_fts_words'), terms: wordsIn('message_terms_words') } as const;

export function planSearch(connection: Connection, index: IndexKind, node: SearchNode): Plan {
  // A row of our own index may cover only a part of its message, so its result is never exact.
  if (index === 'terms') return { ...planNode(node, (term) => planOwn(connection, term)), exact: false };
  const exactly = (term: SearchTerm) => planContents(connection, term);
  // Tool names are in our own index, so a term that is a tool name is not required in the content, unless the query
  // contains nothing else.
  const loosely = (term: SearchTerm) => (isToolName(connection, term) ? EVERYTHING : exactly(term));
  const loose = planNode(node, loosely);
  return loose.match === 'everything' ? planNode(node, exactly) : loose;
}

/** Plans searches for messages that contain all of some terms; each term is looked up in the vocabulary only once. */
export function createTermPlanner(connection: Connection, index: IndexKind): (terms: readonly SearchTerm[]) => Plan {
  const plan = index === 'contents' ? planContents : planOwn;
  const known = new Map<SearchTerm, Plan>();
  const planTerm = (term: SearchTerm) => {
    const planned = known.get(term) ?? plan(connection, term);
    known.set(term, planned);
    return planned;
  };
  return (terms) => planAll(terms.map(planTerm));
}

const EVERYTHING: Plan = { match: 'everything', exact: false };

function planNode(node: SearchNode, planTerm: (term: SearchTerm) => Plan): Plan {
  const plan = (inner: SearchNode) => planNode(inner, planTerm);
  switch (node.kind) {
    case 'term':
      return planTerm(node.term);
    case 'and':
      return planAll(node.nodes.map(plan));
    case 'or':
      return planAny(node.nodes.map(plan));
    case 'not':
      return planWithout(plan(node.node), plan(node.without));
  }
}

function isToolName(connection: Connection, { parts, prefix }: SearchTerm): boolean {
  if (prefix) return false;
  const name = parts.map(({ folded }) => folded).join(' ');
  return connection.get('SELECT 1 FROM message_terms_tools WHERE name = ?', name) !== undefined;
}

/**
 * The original's index contains words and their order. Unspaced script is in it only as whole runs, whose ends are
 * unknown.
 */
function planContents(connection: Connection, term: SearchTerm): Plan {
  const words = term.parts.map(({ text }) => text);
  // Not exact: for a NOT, the text must be compared.
  if (term.parts.some(({ kind }) => kind === 'script')) return { match: 'nothing', exact: false };
  if (!term.prefix) return { match: { expression: phrase(words) }, exact: true };
  const endings = endingsOf(connection, 'contents', term);
  const before = words.slice(0, -1);
  if (endings !== undefined) return anyOf(endings.map((ending) => phrase([...before, ending])));
  if (before.length === 0) return EVERYTHING;
  return { match: { expression: phrase(before) }, exact: false };
}

/** Our own index stores no order, so a phrase is searched as its parts; the result is exact only for a single part. */
function planOwn(connection: Connection, term: SearchTerm): Plan {
  const required = requiredTerms(term);
  const exact = required.length === 1 && !term.prefix;
  const expressions = [...new Set(required)].slice(0, MAX_WORDS).map((word) => phrase([word]));
  const known: Plan =
    expressions.length === 0 ? EVERYTHING : { match: { expression: group(expressions, 'AND') }, exact };
  if (!term.prefix) return known;
  const endings = endingsOf(connection, 'terms', term);
  return endings === undefined ? known : planAll([known, anyOf(endings.map((ending) => phrase([ending])))]);
}

function planAll(plans: readonly Plan[]): Plan {
  const exact = plans.every((plan) => plan.exact);
  if (plans.some(({ match }) => match === 'nothing')) return { match: 'nothing', exact };
  const expressions = expressionsOf(plans);
  if (expressions.length === 0) return { match: 'everything', exact };
  return { match: { expression: group(expressions, 'AND') }, exact };
}

function planAny(plans: readonly Plan[]): Plan {
  const exact = plans.every((plan) => plan.exact);
  if (plans.some(({ match }) => match === 'everything')) return { match: 'everything', exact };
  const expressions = expressionsOf(plans);
  if (expressions.length === 0) return { match: 'nothing', exact };
  return { match: { expression: group(expressions, 'OR') }, exact };
}

// Only exact terms can be excluded in the index. All others are excluded by the text comparison, which always runs, because a term may be in text that this index does not cover.
function planWithout({ match }: Plan, without: Plan): Plan {
  if (typeof match === 'string' || typeof without.match === 'string' || !without.exact) return { match, exact: false };
  return { match: { expression: `(${match.expression} NOT ${without.match.expression})` }, exact: false };
}

function anyOf(expressions: readonly string[]): Plan {
  if (expressions.length === 0) return { match: 'nothing', exact: true };
  return { match: { expression: group(expressions, 'OR') }, exact: true };
}

function expressionsOf(plans: readonly Plan[]): string[] {
  return plans.flatMap(({ match }) => (typeof match === 'string' ? [] : [match.expression]));
}

function group(expressions: readonly string[], operator: 'AND' | 'OR'): string {
  return expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(` ${operator} `)})`;
}

// Words consist of letters and digits, so quoting them is enough.
function phrase(words: readonly string[]): string {
  return `"${words.join(' ')}"`;
}

/** The words of an index that a prefix or the forms of a word stand for; undefined if there are too many. */
function endingsOf(connection: Connection, index: IndexKind, { parts, forms }: SearchTerm): string[] | undefined {
  const beginning = parts.at(-1)?.folded ?? '';
  const list = (most: number, from: string) =>
    connection.lists(WORDS[index], beginning, most + 1, from).map(([word]) => word as string);
  if (forms === undefined) {
    const words = list(MAX_WORDS, beginning);
    return words.length > MAX_WORDS ? undefined : words;
  }
  // Numbers come before letters, and no form continues with a number.
  const words = list(MAX_FORMS, `${beginning}a`);
  return words.length > MAX_FORMS ? forms.likely() : [beginning, ...words].filter(forms.accepts);
}
