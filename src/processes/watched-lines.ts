import { errorMessage } from '../base/index.ts';
import { createExpressionMatcher, type Expression } from '../util/index.ts';

/** Of a longer line only the beginning is looked at. */
const LONGEST_LINE = 4000;

/** Lines of a process's output, as far as somebody wants to be told of them. */
export interface WatchedLines {
  /** The lines among those that were completed by this piece that match; `tooSlow` where an expression took too long. */
  push(text: string): Promise<{ lines: string[]; tooSlow: boolean }>;
  /** The last line may have no end. */
  end(): Promise<{ lines: string[]; tooSlow: boolean }>;
  /** Nobody wants to be told any more. */
  close(): void;
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
function expressionIn(pattern: string): Expression | undefined {
  const [, source, flags = ''] = /^\/(.+)\/(i?)$/.exec(pattern) ?? [];
  return source === undefined ? undefined : { source, flags };
}

export function createWatchedLines(patterns: readonly string[]): WatchedLines {
  const texts = patterns.filter((pattern) => expressionIn(pattern) === undefined);
  const expressions = patterns.flatMap((pattern) => expressionIn(pattern) ?? []);
  const matcher = createExpressionMatcher(expressions);
  let open = '';

  async function match(lines: readonly string[]): Promise<{ lines: string[]; tooSlow: boolean }> {
    const matched = expressions.length === 0 ? [] : await matcher.match(lines);
    const numbers = new Set(matched);
    const found = lines.filter((line, at) => numbers.has(at) || texts.some((text) => line.includes(text)));
    return { lines: found, tooSlow: matched === undefined };
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
    close: matcher.close,
  };
}
