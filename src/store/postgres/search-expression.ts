import { requiredTerms } from '../search/index-terms.ts';
import type { SearchNode, SearchTerm } from '../search-query.ts';

const LONGEST_WORD = 64;
/** A sentence of hundreds of characters is found by the first of its pairs just as well. */
const MOST_REQUIRED = 64;

/**
 * What to ask the index for, as a tsquery. It lets through more than the query means, never less: the index keeps no
 * order, so that phrases are asked for as their parts, and what must not be there is not asked for at all. What it lets
 * through is compared with the query afterwards.
 */
export function toExpression(node: SearchNode): string {
  switch (node.kind) {
    case 'term':
      return termExpression(node.term);
    case 'not':
      return toExpression(node.node);
    default:
      return `(${node.nodes.map(toExpression).join(node.kind === 'and' ? ' & ' : ' | ')})`;
  }
}

function termExpression(term: SearchTerm): string {
  const required = [...new Set(requiredTerms(term))].slice(0, MOST_REQUIRED).map(quote);
  const last = term.prefix ? term.parts.at(-1) : undefined;
  const beginning = last === undefined ? [] : [`${quote(last.folded.slice(0, LONGEST_WORD))}:*`];
  return `(${[...required, ...beginning].join(' & ')})`;
}

function quote(term: string): string {
  return `'${term.replace(/['\\]/g, '$&$&')}'`;
}
