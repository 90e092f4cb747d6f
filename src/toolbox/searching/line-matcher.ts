import { ToolFailure } from '../../tools/index.ts';
import { createExpressionMatcher } from '../../util/index.ts';

/** The numbers, from 0, of the lines that match. */
export type LineMatcher = (lines: readonly string[]) => Promise<number[]>;

/** Gives `search` what finds lines with a regular expression of the model's, and ends it afterwards. */
export async function withLineMatcher<Result>(
  expression: RegExp,
  search: (matcher: LineMatcher) => Promise<Result>,
): Promise<Result> {
  const { match, close } = createExpressionMatcher([expression]);
  try {
    return await search(async (lines) => {
      const found = await match(lines);
      if (found !== undefined) return found;
      throw new ToolFailure('The pattern takes too long to match (nested repetition?). Use a simpler one.');
    });
  } finally {
    close();
  }
}
