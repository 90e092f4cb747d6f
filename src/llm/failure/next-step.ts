import type { ModelFailure } from '../../base/index.ts';
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
