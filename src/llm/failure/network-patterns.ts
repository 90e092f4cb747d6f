// How a network fails, in the words of gateways and in the codes of the system; lower case.

export const TIMEOUT_WORDS = ['timed out', 'deadline exceeded', 'gateway timeout'];

export const CONNECTION_WORDS = [
  'connection refused',
  'no route to host',
  'network is unreachable',
  'network unreachable',
  'name or service not known',
  'temporary failure in name resolution',
  'upstream connect error',
  'server disconnected',
  'peer closed connection',
  'connection reset by peer',
  'connection was closed',
  'network connection lost',
  'unexpected eof',
  'incomplete chunked read',
];

export const CONNECTION_CODES = [
  'econnrefused',
  'econnreset',
  'econnaborted',
  'epipe',
  'enotfound',
  'eai_again',
  'ehostunreach',
  'ehostdown',
  'enetunreach',
  'enetdown',
  'eaddrnotavail',
  'err_stream_premature_close',
  'z_buf_error',
  'err_proxy_tunnel',
  'eproto',
];

/** Something on the way has to be set right first: our own codes, and Node's for a tunnel that a proxy refused. */
export const PROXY_CODES = ['proxy_address', 'proxy_login', 'proxy_refused', 'ca_file'];

/** The other side's certificate is wrong: asking again gives the same certificate. */
export const CERTIFICATE_CODES = [
  'cert_has_expired',
  'cert_not_yet_valid',
  'depth_zero_self_signed_cert',
  'err_tls_cert_altname_invalid',
  'self_signed_cert_in_chain',
  'unable_to_get_issuer_cert',
  'unable_to_get_issuer_cert_locally',
  'unable_to_verify_leaf_signature',
];
