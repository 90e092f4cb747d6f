import { BlockList, isIP } from 'node:net';
import { NetworkSettingError } from './network-setting-error.ts';

/** The environment variables that configure the network. */
export type NetworkVariables = Readonly<Record<string, string | undefined>>;

/** A proxy and the variable that configures it. */
export type Proxy = {
  url: URL;
  /** The host without the login, for messages. */
  host: string;
  variable: string;
};

/** A NO_PROXY entry that makes loopback addresses use the proxy too, as in browsers. */
const LOOPBACK_TOO = '<-loopback>';

/** The proxy for a request; undefined for a direct connection. */
export function proxyFor(target: URL, variables: NetworkVariables): Proxy | undefined {
  const scheme = target.protocol === 'https:' ? 'HTTPS' : 'HTTP';
  const variable = [`${scheme}_PROXY`, 'ALL_PROXY'].flatMap(bothCases).find((name) => variables[name]?.trim());
  if (variable === undefined) return undefined;
  const exceptions = splitList(variables['no_proxy'] || variables['NO_PROXY']);
  if (isLoopback(target.hostname) && !exceptions.includes(LOOPBACK_TOO)) return undefined;
  if (exceptions.some((exception) => matchesException(exception, target))) return undefined;
  return readProxy(variable, (variables[variable] as string).trim());
}

/** Both spellings are in use; most programs prefer lower case. */
function bothCases(name: string): string[] {
  return [name.toLowerCase(), name];
}

function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
}

/** The proxy that a variable configures. */
export function readProxy(variable: string, value: string): Proxy {
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    // The value may contain a password, so it is not shown.
    const found =
      url === null
        ? 'is not a valid URL'
        : `is the URL of a ${url.protocol.replace(':', '')} proxy, which is not supported`;
    throw new NetworkSettingError(
      'PROXY_ADDRESS',
      `${variable} ${found}.`,
      `Set ${variable} to the URL of an http or https proxy, such as http://proxy.example.com:3128.`,
    );
  }
  return { url, host: url.host, variable };
}

/** Matches an entry of NO_PROXY: a host with its subdomains, with or without a port, an IP address, or a CIDR range. */
function matchesException(exception: string, target: URL): boolean {
  if (exception === '*') return true;
  const [, name = exception, port] = /^(.*[^:]):(\d+)$/.exec(exception) ?? [];
  const isAddress = isIP(unbracketed(exception)) > 0;
  if (!isAddress && port !== undefined && port !== portOf(target)) return false;
  const host = plainHost(target.hostname);
  const wanted = plainHost(isAddress ? exception : name).replace(/^\*?\./, '');
  return host === wanted || host.endsWith(`.${wanted}`) || inRange(host, wanted);
}

function inRange(host: string, range: string): boolean {
  const [network = '', bits] = range.split('/');
  const family = isIP(network);
  if (bits === undefined || family === 0 || isIP(host) !== family) return false;
  const prefix = Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, prefix, kind);
  return list.check(host, kind);
}

/** Whether a host is this machine. A proxy on another machine would connect to itself instead. */
function isLoopback(hostname: string): boolean {
  const host = plainHost(hostname);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return /^127\.\d+\.\d+\.\d+$/.test(host) || host === '::1' || host.startsWith('::ffff:7f');
}

function plainHost(hostname: string): string {
  return unbracketed(hostname).toLowerCase().replace(/\.$/, '');
}

function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

function portOf(target: URL): string {
  return target.port || (target.protocol === 'https:' ? '443' : '80');
}
