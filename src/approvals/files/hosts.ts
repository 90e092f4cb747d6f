import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const MAX_FOLDERS = 30;
const MAX_BYTES = 100_000;

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

/** Addresses at which a cloud gives credentials to the machines and containers that run in it. */
const METADATA =
  /(?:^|[/@\s"'([=:])\[?(?:(?:::ffff:)?169\.254\.(?:169\.254|170\.2|170\.23|169\.253|0\.23)|fd00:ec2::(?:254|23)|fd20:ce::254|100\.100\.100\.200|168\.63\.129\.16|192\.0\.0\.192|2852039166|0x(?:a9\.?0x)?a9fea9fe|0xa9\.0xfe\.0xa9\.0xfe|0251\.0376\.0251\.0376|169\.16689662|::ffff:a9fe:a9fe|metadata(?:\.google\.internal|\.goog|\.azure\.(?:com|internal)|\.tencentyun\.com|\.platformequinix\.com|\.packet\.net|\.internal)?(?=[:/]|$)|instance-data(?:\.ec2\.internal)?(?=[:/]|$)|169\.254\.169\.254\.nip\.io)/i;

/** Whether a text contains the address of a metadata service. A bare word counts only after a scheme. */
export function namesMetadataService(text: string): boolean {
  const found = METADATA.exec(text)?.[0];
  if (found === undefined) return false;
  return !/^.?\[?(?:metadata|instance-data)$/i.test(found) || /:\/\/(?:metadata|instance-data)\b/i.test(text);
}

/** Registries and hosts from which packages are usually installed. */
export const USUAL_SOURCE =
  /(?:^|\.)(?:github\.com|githubusercontent\.com|github\.io|gitlab\.com|bitbucket\.org|codeberg\.org|sr\.ht|pypi\.org|pythonhosted\.org|pytorch\.org|nvidia\.com|npmjs\.(?:org|com)|yarnpkg\.com|deno\.land|jsr\.io|esm\.sh|unpkg\.com|jsdelivr\.net|crates\.io|rubygems\.org|golang\.org|go\.dev|gopkg\.in|k8s\.io|helm\.sh|helm\.com|bitnami\.com|jetstack\.io|cert-manager\.io|prometheus\.io|grafana\.com|hashicorp\.com|istio\.io|tigera\.io|cncf\.io|(?:quay|docker|ghcr)\.io|googleapis\.com|amazonaws\.com|ecr\.aws|pkg\.dev|azurecr\.io|microsoft\.com|visualstudio\.com|azure\.com|apache\.org|maven\.org|nuget\.org|packagist\.org|anaconda\.(?:org|com)|conda\.io|nodejs\.org|nodesource\.com|python\.org|rust-lang\.org|debian\.org|ubuntu\.com|fedoraproject\.org|rpmfusion\.org|archlinux\.org|nixos\.org|huggingface\.co|kernel\.org|gnu\.org|sourceforge\.net|elastic\.co|docker\.com|google\.com|r-project\.org|luarocks\.org|cpan\.org|uber\.org|honnef\.co|mvdan\.cc|modernc\.org|sigs\.k8s\.io)$/;

/** Whether an address is on a public host that is not a usual source of packages. */
export function isForeign(address: string): boolean {
  const host = hostOf(address);
  return host !== '' && !isPrivateHost(host) && !USUAL_SOURCE.test(host);
}

/** The hosts of the git remotes of the project that contains a folder. */
export function findRemoteHosts(folder: string): ReadonlySet<string> {
  return new Set(
    remoteAddresses(folder)
      .map(hostOfRemote)
      .filter((host) => host !== ''),
  );
}

/** Whether `owner/name` is the repository of a git remote of the project, or `owner` has one. */
export function ownsRepository(folder: string, repository: string): boolean {
  const owner = repository.toLowerCase().split('/').at(-2) ?? '';
  return remoteAddresses(folder).some((address) => {
    const parts = address.toLowerCase().trim().split(/[/:]/);
    return parts.at(-2) === owner;
  });
}

function remoteAddresses(folder: string): string[] {
  return [...gitSettings(folder).matchAll(/^\s*(?:push)?url\s*=\s*"?([^"\n]+)/gim)].map((found) => found[1] ?? '');
}

/** The part of a host name that somebody registered, as in `example.org` and `example.co.uk`. */
export function domainOf(host: string): string {
  const parts = host.toLowerCase().split('.');
  return parts.slice(/^(?:com?|org|net|ac|gov|edu)$/.test(parts.at(-2) ?? '') ? -3 : -2).join('.');
}

/** `https://host/x`, `ssh://git@host:22/x` and `git@host:x`; a path has no host. */
function hostOfRemote(address: string): string {
  const found = /^[a-z][\w+.-]*:\/\/(?:[^@/]*@)?([^/:]+)/i.exec(address) ?? /^(?:[^@/:]+@)?([^/:]+):/.exec(address);
  return (found?.[1] ?? '').trim().toLowerCase();
}

/** The text of the git settings; empty if the folder is not in a repository. */
function gitSettings(folder: string): string {
  let current = folder;
  for (let level = 0; level < MAX_FOLDERS; level += 1) {
    const git = join(current, '.git');
    const found = textOf(join(git, 'config')) ?? settingsOfWorktree(git, current);
    if (found !== undefined) return found;
    if (dirname(current) === current) return '';
    current = dirname(current);
  }
  return '';
}

/** In a worktree, `.git` is a file that names a folder two levels below the settings. */
function settingsOfWorktree(git: string, folder: string): string | undefined {
  const named = /^gitdir:\s*(.+)$/m.exec(textOf(git) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(folder, named.trim());
  return textOf(join(own, 'config')) ?? textOf(join(own, '../../config')) ?? '';
}

function textOf(path: string): string | undefined {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isFile() !== true || entry.size > MAX_BYTES) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
