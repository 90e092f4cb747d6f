/** The host of an address, with or without a scheme; empty if it is not known. */
export function hostOf(address: string): string {
  if (/[$`]/.test(address)) return '';
  const rest = address.replace(/^[a-z][\w+.-]*:\/\//i, '').replace(/^[^@/]*@/, '');
  const bracketed = /^\[([^\]]+)\]/.exec(rest)?.[1];
  return bracketed ?? /^[^/:?#\s]*/.exec(rest)?.[0] ?? '';
}

/** Whether a host is this machine, in a private network, or the name of a service in a container network. */
export function isPrivateHost(host: string): boolean {
  if (!host.includes('.') && !host.includes(':')) return true;
  return /^(?:localhost|0\.0\.0\.0|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+|::1?|f[cde][\da-f]{2}:.*|.*\.(?:local|localhost|test|internal|intranet|lan|corp|home|arpa|svc|cluster))$/i.test(
    host,
  );
}
