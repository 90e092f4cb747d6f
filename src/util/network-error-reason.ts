const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
};

/** Replaces Node's wording of a failed connection, such as `connect ECONNREFUSED 127.0.0.1:9`, by a plain reason. */
export function explainConnectionError(message: string): string {
  const pattern = /\b(?:(?:connect|read|write|getaddrinfo) )?(E[A-Z_]{4,})\b(?: [\w.:[\]-]+)?/;
  return message.replace(pattern, (text, code: string) => REASONS[code] ?? text);
}
