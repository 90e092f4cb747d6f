import { Visitor } from 'oxc-parser';
import { type Finding, isTest, lineAt, lineCount, parse, type SourceFile } from './source-file.ts';

export const LIMITS = { loopLines: 99, functionLines: 60, fileLines: 400 } as const;

/** Limits the length of files, of the loop and of the agent's functions. */
export function checkSizes(sources: readonly SourceFile[]): Finding[] {
  const product = sources.filter(({ path }) => path.startsWith('src/') && !isTest(path));
  return [
    ...product.flatMap(checkFile),
    ...product.filter(({ path }) => path.startsWith('src/agent/')).flatMap(checkFunctions),
  ];
}

function checkFile({ path, text }: SourceFile): Finding[] {
  const limit = path === 'src/agent/loop.ts' ? LIMITS.loopLines : LIMITS.fileLines;
  const lines = lineCount(text);
  return lines > limit ? [{ path, line: limit + 1, message: `has ${lines} lines (maximum ${limit})` }] : [];
}

function checkFunctions(source: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const check = ({ start, end }: { start: number; end: number }) => {
    const [first, last] = [lineAt(source.text, start), lineAt(source.text, end)];
    const lines = last - first + 1;
    if (lines > LIMITS.functionLines) {
      const message = `a function of ${lines} lines (maximum ${LIMITS.functionLines})`;
      findings.push({ path: source.path, line: first, message });
    }
  };
  const visitor = { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  new Visitor(visitor).visit(parse(source).program);
  return findings;
}
