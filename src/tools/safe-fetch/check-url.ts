import { errorMessage } from '../../base/index.ts';
import { hasKnownSecret, isSecretName, looksLikeKey } from '../../util/index.ts';
import { ToolFailure } from '../tool-stop.ts';

/** The addresses of a host name, as text. */
type Lookup = (host: string) => Promise<readonly string[]>;

export type UrlRules = {
  /** `security.allow_private_urls`: allows private addresses, but never cloud metadata endpoints. */
  allowPrivate?: boolean | undefined;
  /** Allows loopback addresses, which the browser may open. */
  allowLoopback?: boolean | undefined;
  /** The URL was not written by a model and may contain an API key. Never set for redirects. */
  mayHoldKey?: boolean | undefined;
  /** Whether the user has blocked a host. */
  isBlocked?: ((host: string) => boolean) | undefined;
  lookup?: Lookup;
};

/** A URL that may be fetched, with its checked addresses; connections go only to these. */
export type CheckedUrl = { url: URL; addresses: readonly string[] };

const MAX_ADDRESSES = 8;
/** Host names of cloud metadata services, regardless of their addresses. */
const METADATA_HOSTS = /^(?:metadata|instance-data)(?:\.google)?(?:\.internal)?$/;

/** Checks a URL and the addresses of its host. Throws with the reason if it must not be fetched. */
export async function checkUrl(text: string, rules: UrlRules = {}): Promise<CheckedUrl> {
  const url = parse(text);
  if (!rules.mayHoldKey) refuseSecrets(url);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (METADATA_HOSTS.test(host.toLowerCase())) throw refused(host, 'metadata');
  if (rules.isBlocked?.(host)) {
    throw new ToolFailure(`${host} is on the blocklist of the user, so it was not opened. Use another source.`);
  }
  // The URL parser has already normalised decimal, octal and hexadecimal addresses.
  const addresses = kindOfAddress(host) === undefined ? await resolve(host, rules.lookup ?? systemLookup) : [host];
  for (const address of addresses) {
    const kind = kindOfAddress(address) ?? 'private';
    if (!isAllowed(kind, rules)) throw refused(host, kind);
  }
  return { url, addresses: addresses.slice(0, MAX_ADDRESSES) };
}

function isAllowed(kind: AddressKind, { allowPrivate = false, allowLoopback = false }: UrlRules): boolean {
  if (kind === 'metadata') return false;
  return kind === 'public' || allowPrivate || (kind === 'loopback' && allowLoopback);
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new ToolFailure('A URL must begin with https:// or http:// followed by a host.');
  }
  return url;
}

/** Refuses credentials in a URL, which ends up in logs and at redirect targets. */
function refuseSecrets(url: URL): void {
  const words = decoded(`${url.pathname} ${url.hash}`).split(/[\s/#?&=;,]+/);
  const named = [...url.searchParams].some(
    ([name, value]) => value !== '' && (isSecretName(name) || looksLikeKey(value)),
  );
  if (url.username !== '' || url.password !== '' || named || words.some(looksLikeKey) || hasKnownSecret(url.href)) {
    throw new ToolFailure(
      'The URL contains a password, key or token, so it was not fetched. Remove that part of the URL.',
    );
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function resolve(host: string, lookup: Lookup): Promise<readonly string[]> {
  try {
    const addresses = await lookup(host);
    if (addresses.length > 0) return addresses;
  } catch (thrown) {
    throw new ToolFailure(`Could not resolve the host ${host} (${errorMessage(thrown)}).`);
  }
  throw new ToolFailure(`The host ${host} has no address.`);
}

async function systemLookup(host: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises');
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

function refused(host: string, kind: AddressKind): ToolFailure {
  const why: Record<AddressKind, string> = {
    public: '',
    loopback: 'a local address',
    private: 'a private or reserved address',
    metadata: 'a cloud metadata endpoint, which returns credentials',
  };
  const how =
    kind === 'metadata'
      ? ''
      : ' The user can allow local and private addresses with security.allow_private_urls in config.yaml.';
  const verb = kindOfAddress(host) === undefined ? 'points to' : 'is';
  return new ToolFailure(`${host} ${verb} ${why[kind]}, so it was not fetched.${how}`);
}

/** The kind of an IP address. `metadata` endpoints hand out cloud credentials and are never allowed. */
type AddressKind = 'public' | 'loopback' | 'private' | 'metadata';

type Range = { prefix: bigint; bits: number; kind: AddressKind };

/** IPv4 ranges. The first match decides. */
const V4_RANGES = [
  range4('169.254.169.254/32', 'metadata'),
  range4('169.254.170.2/32', 'metadata'),
  range4('169.254.170.23/32', 'metadata'),
  range4('100.100.100.200/32', 'metadata'),
  range4('192.0.0.192/32', 'metadata'),
  // Public-looking addresses of cloud hosts.
  range4('168.63.129.16/32', 'metadata'),
  range4('127.0.0.0/8', 'loopback'),
  // These addresses reach the local machine too.
  range4('0.0.0.0/8', 'loopback'),
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '192.0.0.0/24']
    .concat(['192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '192.88.99.0/24', '224.0.0.0/3'])
    .map((text) => range4(text, 'private')),
];

const V6_RANGES = [
  range6('fd00:ec2::254', 128, 'metadata'),
  range6('fd20:ce::254', 128, 'metadata'),
  range6('::1', 128, 'loopback'),
  range6('::', 128, 'loopback'),
];
/** The range of public unicast addresses; everything else is special or unassigned. */
const PUBLIC_V6 = range6('2000::', 3, 'public');
const RESERVED_V6 = [
  range6('2001::', 23, 'private'),
  range6('2001:db8::', 32, 'private'),
  range6('3fff::', 20, 'private'),
];
/** IPv6 prefixes that embed an IPv4 address, and how many bits follow it. */
const IPV4_EMBEDDING_RANGES = [
  { ...range6('::ffff:0:0', 96, 'public'), shift: 0n },
  { ...range6('::', 96, 'public'), shift: 0n },
  { ...range6('::ffff:0:0:0', 96, 'public'), shift: 0n },
  { ...range6('64:ff9b::', 96, 'public'), shift: 0n },
  { ...range6('2002::', 16, 'public'), shift: 80n },
];

/** The kind of an IP address; undefined if the text is none. IPv4 must be in dotted decimal form. */
export function kindOfAddress(text: string): AddressKind | undefined {
  const four = parseV4(text);
  if (four !== undefined) return kindOfV4(four);
  const six = parseV6(text.replace(/%.*$/, ''));
  return six === undefined ? undefined : kindOfV6(six);
}

function kindOfV4(address: bigint): AddressKind {
  return V4_RANGES.find((range) => contains(range, address, 32))?.kind ?? 'public';
}

function kindOfV6(address: bigint): AddressKind {
  const named = V6_RANGES.find((range) => contains(range, address, 128));
  if (named) return named.kind;
  const carrier = IPV4_EMBEDDING_RANGES.find((range) => contains(range, address, 128));
  if (carrier) return kindOfV4((address >> carrier.shift) & 0xffff_ffffn);
  if (!contains(PUBLIC_V6, address, 128)) return 'private';
  return RESERVED_V6.find((range) => contains(range, address, 128))?.kind ?? 'public';
}

function contains({ prefix, bits }: Range, address: bigint, size: number): boolean {
  const rest = BigInt(size - bits);
  return address >> rest === prefix >> rest;
}

function parseV4(text: string): bigint | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  return parts.some((part) => part > 255) ? undefined : parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
  // A trailing IPv4 address counts as two groups.
  const embedded = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const four = embedded ? parseV4(embedded[2] ?? '') : undefined;
  if (embedded && four === undefined) return undefined;
  const groups =
    four === undefined ? text : `${embedded?.[1]}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`;
  const [head = '', tail, ...more] = groups.split('::');
  if (more.length > 0) return undefined;
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}

function range4(text: string, kind: AddressKind): Range {
  const [address = '', bits = '32'] = text.split('/');
  return { prefix: parseV4(address) ?? 0n, bits: Number(bits), kind };
}

function range6(address: string, bits: number, kind: AddressKind): Range {
  return { prefix: parseV6(address) ?? 0n, bits, kind };
}
