import type { KnownMessages } from './failure-patterns.ts';

// Network failures: messages of gateways and system error codes, in lower case, with their source.

export const TIMEOUT_WORDS: KnownMessages = {
  'timed out': 'several',
  'deadline exceeded': 'Gemini',
  'gateway timeout': 'several',
};
export const TIMEOUT_CODES: KnownMessages = { etimedout: 'system', timeout_error: 'Anthropic' };

export const CONNECTION_WORDS: KnownMessages = {
  'connection refused': 'several',
  econnrefused: 'several',
  'no route to host': 'several',
  'network is unreachable': 'several',
  'network unreachable': 'several',
  'name or service not known': 'several',
  'nodename nor servname provided': 'several',
  'temporary failure in name resolution': 'several',
  'getaddrinfo failed': 'several',
  'getaddrinfo enotfound': 'several',
  eai_again: 'several',
  'fetch failed': 'several',
  'failed to fetch': 'several',
  'upstream connect error': 'several',
  'server disconnected': 'several',
  'peer closed connection': 'several',
  'connection reset by peer': 'several',
  'connection was closed': 'several',
  'network connection lost': 'several',
  'unexpected eof': 'several',
  'incomplete chunked read': 'several',
  'bad record mac': 'TLS',
  bad_record_mac: 'TLS',
  'ssl alert': 'TLS',
  ssl_alert: 'TLS',
  'tls alert': 'TLS',
  tls_alert: 'TLS',
  'ssl handshake failure': 'TLS',
  'tlsv1 alert': 'TLS',
  'sslv3 alert': 'TLS',
  '[ssl:': 'TLS',
};

export const CONNECTION_CODES: KnownMessages = {
  econnrefused: 'system',
  econnreset: 'system',
  econnaborted: 'system',
  epipe: 'system',
  enotfound: 'system',
  eai_again: 'system',
  ehostunreach: 'system',
  ehostdown: 'system',
  enetunreach: 'system',
  enetdown: 'system',
  eaddrnotavail: 'system',
  err_stream_premature_close: 'Node',
  z_buf_error: 'Node',
  err_proxy_tunnel: 'Node',
  eproto: 'Node',
};

/** Our own codes for a proxy or certificate setting that has to be fixed first. */
export const PROXY_CODES: KnownMessages = {
  proxy_address: 'own',
  proxy_login: 'own',
  proxy_refused: 'own',
  ca_file: 'own',
};

/** The server's certificate is invalid, so a retry does not help. */
export const CERTIFICATE_CODES: KnownMessages = {
  cert_has_expired: 'TLS',
  cert_not_yet_valid: 'TLS',
  depth_zero_self_signed_cert: 'TLS',
  err_tls_cert_altname_invalid: 'TLS',
  self_signed_cert_in_chain: 'TLS',
  unable_to_get_issuer_cert: 'TLS',
  unable_to_get_issuer_cert_locally: 'TLS',
  unable_to_verify_leaf_signature: 'TLS',
};

/** Certificate errors that a gateway reports about the upstream provider. */
export const CERTIFICATE_WORDS: KnownMessages = {
  'certificate verify failed': 'several',
  certificate_verify_failed: 'several',
  'unable to get local issuer certificate': 'several',
  'self-signed certificate': 'several',
  'self signed certificate': 'several',
  'certificate has expired': 'several',
  'hostname mismatch, certificate is not valid': 'several',
  'unable to verify the first certificate': 'several',
};
