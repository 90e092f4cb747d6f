const LOCAL_NAMES = new Set(['localhost', 'host.docker.internal', 'host.containers.internal']);

/** Loopback and private addresses: a server of one's own, which needs no key and may think for a long time. */
export function isLocalEndpoint(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)
    ?.hostname.toLowerCase()
    .replace(/^\[|\]$/g, '');
  if (host === undefined) return false;
  if (LOCAL_NAMES.has(host) || host.endsWith('.local') || host.endsWith('.localhost')) return true;
  return host.includes(':') ? isPrivateIpv6(host) : isPrivateIpv4(host);
}

function isPrivateIpv4(host: string): boolean {
  const parts = host.split('.').map(Number);
  if (parts.length !== 4 || parts.some(Number.isNaN)) return false;
  const [first = -1, second = -1] = parts;
  if (first === 0 || first === 10 || first === 127) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}

/** Loopback, link-local and unique local addresses. */
function isPrivateIpv6(host: string): boolean {
  return host === '::1' || host === '::' || /^f(?:[cd]|e[89ab])/.test(host) || host.startsWith('::ffff:7f');
}
