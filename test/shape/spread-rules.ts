import { Visitor } from 'oxc-parser';
import { type Finding, isTest, lineAt, parse, type SourceFile } from './source-file.ts';

/**
 * A literal that is spread into another (`{ ...{ a, b }, c }`) only hides how long the outer one is, so its parts
 * must be written out. A spread of a value or of a condition (`...(x && { a })`) is allowed.
 */
export function checkSpreads(sources: readonly SourceFile[]): Finding[] {
  return sources.filter(({ path }) => path.startsWith('src/') && !isTest(path)).flatMap(findSpreads);
}

type Node = { type: string; start: number };
type Spread = Node & { argument: Node };

function findSpreads(source: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const check = (parts: readonly (Node | null)[]) => {
    for (const part of parts) {
      if (part?.type !== 'SpreadElement' || !isLiteral((part as Spread).argument)) continue;
      const message = 'spreads a literal into a literal: write its parts out';
      findings.push({ path: source.path, line: lineAt(source.text, part.start), message });
    }
  };
  new Visitor({
    ObjectExpression: ({ properties }) => check(properties),
    ArrayExpression: ({ elements }) => check(elements),
  }).visit(parse(source).program);
  return findings;
}

/** Whether a node is an object or array literal, including one with a type assertion such as `[…] as const`. */
function isLiteral(node: Node): boolean {
  if ('expression' in node && /^TS(?:As|Satisfies)Expression$/.test(node.type))
    return isLiteral(node.expression as Node);
  return node.type === 'ObjectExpression' || node.type === 'ArrayExpression';
}
