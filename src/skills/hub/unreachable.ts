const CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'ETIMEDOUT'];
/** What npm says where it was told to stay offline, and what git says. */
const WORDS = ['ENOTCACHED', 'EIDLETIMEOUT', 'Could not resolve host', 'Failed to connect', 'Network is unreachable'];
const PATTERN = new RegExp([...CODES, ...WORDS].join('|'));

/** Whether a failure was that nobody could be reached at all, as on a machine without a network. */
export function isUnreachable(message: string): boolean {
  return PATTERN.test(message);
}
