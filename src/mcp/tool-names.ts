import { createHash } from 'node:crypto';

/** The longest name that every provider accepts. */
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

/** The tool set that contains the tools of a server. */
export function toolsetOf(label: string): string {
  return `mcp-${label}`;
}

/**
 * `mcp__<label>__<tool>` in the characters that providers allow. Names that are too long or would collide get a hash
 * suffix.
 */
export function nameTools(label: string, originals: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const original of originals) {
    const plain = `mcp__${label}__${cleanName(original)}`;
    const name = plain.length > MAX_NAME_LENGTH || taken.has(plain) ? withHash(plain, `${label}\0${original}`) : plain;
    taken.add(name);
    names.set(original, name);
  }
  return names;
}

function cleanName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_') || '_';
}

function withHash(plain: string, whole: string): string {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/** Selects the included tools without the excluded ones. `*` and `?` are wildcards. */
export function createNameFilter(
  include: readonly string[] | undefined,
  exclude: readonly string[],
): (name: string) => boolean {
  const wanted = include?.map(toPattern);
  const unwanted = exclude.map(toPattern);
  return (name) => (wanted?.some((pattern) => pattern.test(name)) ?? true) && !unwanted.some((p) => p.test(name));
}

function toPattern(glob: string): RegExp {
  const escaped = glob.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*+/g, '.*').replace(/\?/g, '.')}$`, 's');
}
