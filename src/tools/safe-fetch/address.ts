/** Where an address leads. `metadata` hands out credentials of a cloud machine and is never allowed. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'metadata';

type Range = { prefix: bigint; bits: number; kind: AddressKind };

/** IPv4, as the last 32 bits of an IPv6 address. The first range that fits decides. */
const V4_RANGES = [
  range4('169.254.169.254/32', 'metadata'),
  range4('169.254.170.2/32', 'metadata'),
  range4('169.254.170.23/32', 'metadata'),
  range4('100.100.100.200/32', 'metadata'),
  range4('192.0.0.192/32', 'metadata'),
  // Looks like any other of the web, and leads to the host of the machine.
  range4('168.63.129.16/32', 'metadata'),
  range4('127.0.0.0/8', 'loopback'),
  // Another name for this machine.
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
/** All that is given out to the public lies in here; everything else has a meaning of its own, or none yet. */
const PUBLIC_V6 = range6('2000::', 3, 'public');
const RESERVED_V6 = [
  range6('2001::', 23, 'private'),
  range6('2001:db8::', 32, 'private'),
  range6('3fff::', 20, 'private'),
];
/** Prefixes behind which an IPv4 address stands, and how many bits follow it. */
const CARRIERS = [
  { ...range6('::ffff:0:0', 96, 'public'), shift: 0n },
  { ...range6('::', 96, 'public'), shift: 0n },
  { ...range6('::ffff:0:0:0', 96, 'public'), shift: 0n },
  { ...range6('64:ff9b::', 96, 'public'), shift: 0n },
  { ...range6('2002::', 16, 'public'), shift: 80n },
];

/** What kind of address a text is; undefined where it is none. IPv4 is taken in its plain form of four figures. */
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
  const carrier = CARRIERS.find((range) => contains(range, address, 128));
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
  // An IPv4 address at the end stands for two groups.
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
