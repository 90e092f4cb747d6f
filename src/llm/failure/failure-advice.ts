import { errorMessage, type ModelFailure } from '../../base/index.ts';
import { explainConnectionError } from '../../util/index.ts';
import type { FailureFacts } from './error-body.ts';
import { CERTIFICATE_CODES } from './network-patterns.ts';

const UNKNOWN_AUTHORITY: readonly string[] = [
  'depth_zero_self_signed_cert',
  'self_signed_cert_in_chain',
  'unable_to_get_issuer_cert',
  'unable_to_get_issuer_cert_locally',
  'unable_to_verify_leaf_signature',
];

/** Advice for failures whose kind alone does not say what to do. */
export function adviceFor(failure: ModelFailure): string | undefined {
  const code = failure.code?.toLowerCase() ?? '';
  if (UNKNOWN_AUTHORITY.includes(code)) {
    return 'If you trust this server, or a company proxy inspects TLS connections, set SSL_CERT_FILE in the environment or in .env to a PEM file with its certificate authority.';
  }
  if (code === 'err_tls_cert_altname_invalid') {
    return 'The certificate is for a different host. Check the host name in base_url.';
  }
  if (Object.hasOwn(CERTIFICATE_CODES, code))
    return "Check the clock of this machine and whether the server's certificate is valid.";
  if (code === 'econnrefused') return 'No server is listening there. Start the server or correct base_url.';
  if (code === 'web_page') {
    return 'The URL belongs to a website, not a model API. Check base_url, and whether the network requires a sign-in first.';
  }
  return undefined;
}

const DEEPEST_CAUSE = 5;

/** Converts a network error; its code may be several causes deep. Programming errors are rethrown. */
export function factsOfNetworkError(thrown: unknown, host: string): FailureFacts {
  const code = codeOfCauses(thrown);
  if (code === undefined && (thrown instanceof TypeError || thrown instanceof ReferenceError)) throw thrown;
  if (code === 'ERR_INVALID_CHAR') {
    return {
      kind: 'auth_permanent',
      message: `The key for ${host} contains a character that is not allowed in a header.`,
    };
  }
  // Node appends advice about its own command-line flags, which does not help here.
  const words = errorMessage(thrown).replace(/; if the root CA is installed locally.*$/s, '') || 'unknown reason';
  // An error of the HTTP parser means that the server sent invalid HTTP.
  const kind = code?.startsWith('HPE_') ? 'invalid_response' : undefined;
  const message = `The connection to ${host} failed: ${explainConnectionError(words)}`;
  return { message, ...(kind && { kind }), ...(code && { codes: [code] }) };
}

function codeOfCauses(thrown: unknown): string | undefined {
  let current = thrown;
  for (let depth = 0; depth < DEEPEST_CAUSE && current instanceof Error; depth += 1) {
    const { code } = current as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    // Happy Eyeballs reports one error per address.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}
