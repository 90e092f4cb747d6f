import type { RunResult } from '../../../base/index.ts';

/**
 * The final text where it was never streamed, as a summary or a stand-in such as "(empty)"; undefined where there is none,
 * or where the last step has said it already.
 */
export function unsaidAnswer({ finalResponse }: RunResult, lastStep: string): string | undefined {
  const final = finalResponse.trim();
  const isSaid = lastStep !== '' && (final.endsWith(lastStep) || lastStep.endsWith(final));
  return final === '' || isSaid ? undefined : final;
}
