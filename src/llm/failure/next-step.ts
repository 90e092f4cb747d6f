import { errorMessage, type ModelFailure } from '../../base/index.ts';
import type { FailureFacts } from './error-body.ts';
import { CERTIFICATE_CODES } from './network-patterns.ts';

const UNKNOWN_AUTHORITY: readonly string[] = [
  'depth_zero_self_signed_cert',
  'self_signed_cert_in_chain',
  'unable_to_get_issuer_cert',
  'unable_to_get_issuer_cert_locally',
  'unable_to_verify_leaf_signature',
];

/** What to do about failures whose kind alone does not tell. */
export function nextStepOf(failure: ModelFailure): string | undefined {
  const code = failure.code?.toLowerCase() ?? '';
  if (UNKNOWN_AUTHORITY.includes(code)) {
    return 'If you trust this server, or a proxy of your company stands in between, set SSL_CERT_FILE to the file of its certificate authority (PEM), in the environment or in .env.';
  }
  if (code === 'err_tls_cert_altname_invalid') {
    return 'The certificate is for another host: check the host name in base_url.';
  }
  if (Object.hasOwn(CERTIFICATE_CODES, code))
    return "Check this machine's clock, and whether the server's certificate is valid.";
  if (code === 'econnrefused') return 'Nothing listens there: start the server, or correct base_url.';
  if (code === 'web_page') {
    return 'A web site answers there and no model API: check base_url, and whether a network such as that of a hotel wants a sign-in first.';
  }
  return undefined;
}

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
