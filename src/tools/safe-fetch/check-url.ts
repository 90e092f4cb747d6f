import { errorMessage } from '../../base/index.ts';
import { isSecretName, looksLikeKey } from '../../util/index.ts';
import { ToolFailure } from '../tool-stop.ts';
import { type AddressKind, kindOfAddress } from './address.ts';

/** The addresses of a host name, as text. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export type UrlRules = {
  /** `security.allow_private_urls`: addresses inside the network too, though never those that hand out credentials. */
  allowPrivate?: boolean | undefined;
  /** Pages of the person's own machine, which a browser may open. */
  allowLoopback?: boolean | undefined;
  /** The address is not from a model and has to hold a key; never where a redirect leads. */
  mayHoldKey?: boolean | undefined;
  lookup?: Lookup;
};

/** A URL that may be fetched, with the addresses that were looked at: a connection goes to one of these and no other. */
export type CheckedUrl = { url: URL; addresses: readonly string[] };

const MOST_ADDRESSES = 8;
/** Names that lead to the same service as the metadata addresses, whatever they resolve to. */
const METADATA_HOSTS = /^(?:metadata|instance-data)(?:\.google)?(?:\.internal)?$/;

/** Looks at a URL and at where its host leads. What must not be fetched ends in a refusal that says why. */
export async function checkUrl(text: string, rules: UrlRules = {}): Promise<CheckedUrl> {
  const url = parse(text);
  if (!rules.mayHoldKey) refuseSecrets(url);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (METADATA_HOSTS.test(host.toLowerCase())) throw refused(host, 'metadata');
  // The parser has already turned decimal, octal and hexadecimal spellings into the plain one.
  const addresses = kindOfAddress(host) === undefined ? await resolve(host, rules.lookup ?? systemLookup) : [host];
  for (const address of addresses) {
    const kind = kindOfAddress(address) ?? 'private';
    if (!isAllowed(kind, rules)) throw refused(host, kind);
  }
  return { url, addresses: addresses.slice(0, MOST_ADDRESSES) };
}

function isAllowed(kind: AddressKind, { allowPrivate = false, allowLoopback = false }: UrlRules): boolean {
  if (kind === 'metadata') return false;
  return kind === 'public' || allowPrivate || (kind === 'loopback' && allowLoopback);
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new ToolFailure('That is no address that can be fetched: it has to begin with https:// or http://.');
  }
  return url;
}

/** An address goes into logs and to every server on the way of a redirect: a secret has no place in it. */
function refuseSecrets(url: URL): void {
  const words = decoded(`${url.pathname} ${url.hash}`).split(/[\s/#?&=;,]+/);
  const named = [...url.searchParams].some(
    ([name, value]) => value !== '' && (isSecretName(name) || looksLikeKey(value)),
  );
  if (url.username !== '' || url.password !== '' || named || words.some(looksLikeKey)) {
    throw new ToolFailure('The address has a password, key or token in it. It was not fetched; leave that part out.');
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
    throw new ToolFailure(`The host ${host} could not be found (${errorMessage(thrown)}).`);
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
    loopback: 'leads to this machine itself',
    private: 'leads into the network here, or to an address with a special purpose',
    metadata: 'leads to the service that hands out the credentials of this machine',
  };
  const how = kind === 'metadata' ? '' : ' The user can allow it with security.allow_private_urls in config.yaml.';
  return new ToolFailure(`${host} ${why[kind]}, so it was not fetched.${how}`);
}
