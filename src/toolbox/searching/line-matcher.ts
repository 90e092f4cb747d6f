import { createContext, Script } from 'node:vm';
import { ToolFailure } from '../../tools/index.ts';

/** How long the lines of one file may take; only a pattern that explodes needs more. */
const TIME_LIMIT_MS = 1000;

/** The numbers, from 0, of the lines that match. */
export type LineMatcher = (lines: readonly string[]) => number[];

/**
 * Matches lines against a regular expression of the model's. It runs in a context that can be stopped: some expressions
 * take longer than the universe has, and nothing else ends them.
 */
export function createLineMatcher(expression: RegExp): LineMatcher {
  const context = createContext({ expression, lines: [] as readonly string[] });
  const script = new Script(
    '{ const found = []; for (let i = 0; i < lines.length; i++) if (expression.test(lines[i])) found.push(i); found }',
  );
  return (lines) => {
    context['lines'] = lines;
    try {
      return script.runInContext(context, { timeout: TIME_LIMIT_MS }) as number[];
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
      throw new ToolFailure('The pattern takes too long to match (nested repetition?). Use a simpler one.');
    }
  };
}
