import { errorMessage } from '../base/index.ts';

/** How long all expressions together may look at one piece of output. */
const EXPRESSION_MS = 100;
/** Of a longer line only the beginning is looked at. */
const LONGEST_LINE = 4000;

export interface LineMatcher {
  /** The lines among those that were completed by this piece that match; `tooSlow` where an expression took too long. */
  push(text: string): Promise<{ lines: string[]; tooSlow: boolean }>;
  /** The last line may have no end. */
  end(): Promise<{ lines: string[]; tooSlow: boolean }>;
}

/** Why a list of patterns cannot be used; undefined if it can. */
export function findPatternFault(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    if (pattern.trim() === '') return 'A watch pattern is empty.';
    const expression = expressionIn(pattern);
    try {
      if (expression !== undefined) RegExp(expression.source, expression.flags);
    } catch (thrown) {
      return `The watch pattern ${pattern} is no regular expression: ${errorMessage(thrown)}.`;
    }
  }
  return undefined;
}

/** `/…/` and `/…/i` are regular expressions, anything else is looked for as it is. */
function expressionIn(pattern: string): { source: string; flags: string } | undefined {
  const [, source, flags = ''] = /^\/(.+)\/(i?)$/.exec(pattern) ?? [];
  return source === undefined ? undefined : { source, flags };
}

export function createLineMatcher(patterns: readonly string[]): LineMatcher {
  const texts = patterns.filter((pattern) => expressionIn(pattern) === undefined);
  const expressions = patterns.flatMap((pattern) => expressionIn(pattern) ?? []);
  let open = '';

  async function match(lines: readonly string[]): Promise<{ lines: string[]; tooSlow: boolean }> {
    const found = new Set(lines.filter((line) => texts.some((text) => line.includes(text))));
    const matched = expressions.length === 0 ? [] : await matchExpressions(expressions, lines);
    for (const line of matched ?? []) found.add(line);
    return { lines: lines.filter((line) => found.has(line)), tooSlow: matched === undefined };
  }

  return {
    push(text) {
      const lines = (open + text).split('\n');
      open = (lines.pop() ?? '').slice(0, LONGEST_LINE);
      return match(lines.map((line) => line.slice(0, LONGEST_LINE)));
    },
    end() {
      const lines = open === '' ? [] : [open];
      open = '';
      return match(lines);
    },
  };
}

/**
 * Some expressions take for ever with the right text, and nothing else could run meanwhile. Only a context of its own
 * can be stopped. Undefined where it was.
 */
async function matchExpressions(
  expressions: readonly { source: string; flags: string }[],
  lines: readonly string[],
): Promise<string[] | undefined> {
  const { runInNewContext } = await import('node:vm');
  const code = `const expressions = JSON.parse(given.expressions).map(({ source, flags }) => new RegExp(source, flags));
    JSON.stringify(JSON.parse(given.lines).filter((line) => expressions.some((expression) => expression.test(line))))`;
  const given = { expressions: JSON.stringify(expressions), lines: JSON.stringify(lines) };
  try {
    return JSON.parse(runInNewContext(code, { given }, { timeout: EXPRESSION_MS }) as string) as string[];
  } catch {
    return undefined;
  }
}
