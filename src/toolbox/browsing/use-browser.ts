import { HermesError } from '../../base/index.ts';
import type { AgentBrowser, BrowserCall, ToolContext } from '../../contracts/index.ts';
import { ToolDenied, ToolFailure } from '../../tools/index.ts';

/** Asks the browser of the agent; what it cannot do is a result for the model. */
export async function useBrowser<Result>(
  { services, signal }: ToolContext,
  ask: (browser: AgentBrowser, call: BrowserCall) => Promise<Result>,
): Promise<Result> {
  if (services.browser === undefined) throw new ToolFailure('There is no browser here.');
  try {
    return await ask(services.browser, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown instanceof HermesError ? new ToolFailure(thrown.message) : thrown;
  }
}

/** What is done in a page may order something, send a message, delete an account. */
export function refuseInPlanMode({ approvals }: ToolContext): void {
  if (approvals.planMode)
    throw new ToolDenied(
      'Plan mode: pages may be read, and nothing may be done in them. Put it into your plan instead.',
    );
}
