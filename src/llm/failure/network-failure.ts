import { errorMessage } from '../../base/index.ts';
import type { FailureFacts } from './failure-facts.ts';

const DEEPEST_CAUSE = 5;

/** What a thrown network error says; its code may sit a few causes deep. A fault of our own is thrown on. */
export function factsOfNetworkError(thrown: unknown, host: string): FailureFacts {
  const code = codeOfCauses(thrown);
  if (code === undefined && (thrown instanceof TypeError || thrown instanceof ReferenceError)) throw thrown;
  if (code === 'ERR_INVALID_CHAR') {
    return { kind: 'auth_permanent', message: `The key for ${host} has a character that no header can carry.` };
  }
  // Node adds how to run Node, which is no help to someone who runs something else.
  const words = errorMessage(thrown).replace(/; if the root CA is installed locally.*$/s, '') || 'no reason given';
  // The HTTP parser's own complaints mean that something answered which does not speak HTTP properly.
  const kind = code?.startsWith('HPE_') ? 'invalid_response' : undefined;
  const message = `The connection to ${host} failed: ${words}`;
  return { message, ...(kind && { kind }), ...(code && { codes: [code] }) };
}

function codeOfCauses(thrown: unknown): string | undefined {
  let current = thrown;
  for (let depth = 0; depth < DEEPEST_CAUSE && current instanceof Error; depth += 1) {
    const { code } = current as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    // Happy eyeballs: one error per address that was tried.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}
