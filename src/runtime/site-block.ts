import { readFileSync } from 'node:fs';
import type { BlockedSites } from '../config/index.ts';

/** Whether a host is blocked. */
export type SiteBlock = (host: string) => boolean;

/**
 * Decides by `security.website_blocklist`; undefined if it is off. A domain also blocks its subdomains. The files are
 * read once, on the first decision; one that cannot be read blocks nothing.
 */
export function createSiteBlock(sites: BlockedSites | undefined): SiteBlock | undefined {
  if (sites === undefined) return undefined;
  let blocked: ReadonlySet<string> | undefined;
  return (host) => {
    blocked ??= new Set([...sites.domains, ...sites.files.flatMap(readDomains)].map(normalise));
    const labels = normalise(host).split('.');
    return labels.some((_, index) => blocked?.has(labels.slice(index).join('.')));
  };
}

/** One domain per line; `#` starts a comment. */
function readDomains(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.map((line) => line.replace(/#.*$/, '').trim()).filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Existing lists have domains, wildcards such as `*.example.com`, and URLs. */
function normalise(entry: string): string {
  const host = entry
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/:?#].*$/, '');
  return host.replace(/^\*\./, '').replace(/\.$/, '');
}
