import { type MachineFacts, ownPathOf } from './machine-facts.ts';
import { createPathPattern, isPattern, UNKNOWN_PART } from './path-pattern.ts';

/**
 * An absolute path that a word of a command refers to. `known`: exactly this path. `pattern`: all paths that match it.
 * `unknown`: a part depends on an expansion that cannot be evaluated; the path may begin with it.
 */
export type ResolvedPath = {
  path: string;
  certainty: 'known' | 'pattern' | 'unknown';
  /** The path before `..` was applied, which leads elsewhere if the part before `..` is a link on the disk. */
  spelled?: string;
};

/**
 * Adds, for each path in the home directory of another user, the same path in the user's own home directory, so that
 * everything that is protected in one home directory is protected in all of them.
 */
export function withOwnPaths<Path extends Pick<ResolvedPath, 'path' | 'certainty'>>(
  paths: readonly Path[],
  { homes }: Pick<MachineFacts, 'homes'>,
): Path[] {
  return paths.flatMap((one) => {
    const path = ownPathOf(one.certainty === 'pattern' ? spellRoot(one.path) : one.path, homes);
    if (path === undefined) return [one];
    const certainty = one.certainty === 'pattern' && !isPattern(path) ? 'known' : one.certainty;
    return [one, { ...one, path, certainty }];
  });
}

/** `/r?ot/.netrc` names a file in the home directory of root. */
function spellRoot(path: string): string {
  const first = /^\/[^/]*[*?[][^/]*(?=\/)/.exec(path)?.[0];
  return first !== undefined && createPathPattern(first).relationTo('/root') === 'inside'
    ? `/root${path.slice(first.length)}`
    : path;
}

/** Words longer than this are text. */
const MAX_WORD = 4000;
const FILE_URL = /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?)?(?=\/)/i;

/**
 * Resolves a word to the paths it may refer to: with `..` applied as written, and with the links of the same line
 * followed, if they make a difference. Empty if the word says nothing about a path.
 */
export function resolveWord(word: string, directory: string, facts: MachineFacts): ResolvedPath[] {
  if (word === '' || word.length > MAX_WORD) return [];
  const spelled = maskUnknown(spellHome(withoutScheme(word), facts));
  if (spelled === UNKNOWN_PART) return [];
  const joined = spelled.startsWith('/') || spelled.startsWith(UNKNOWN_PART) ? spelled : `${directory}/${spelled}`;
  const path = normalise(joined, directory, undefined);
  const certainty = path.includes(UNKNOWN_PART) ? 'unknown' : isPattern(path) ? 'pattern' : 'known';
  const followed = facts.links === undefined ? path : normalise(joined, directory, facts.links);
  const found: ResolvedPath[] = [
    /\/\.\.(?:\/|$)/.test(joined) ? { path, certainty, spelled: joined } : { path, certainty },
  ];
  if (followed !== path) found.push({ path: followed, certainty });
  return found;
}

function withoutScheme(word: string): string {
  if (!FILE_URL.test(word)) return word;
  const path = word.replace(FILE_URL, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A tilde that the shell did not expand: many programs expand it themselves. */
function spellHome(word: string, { homes, hermesHomes }: MachineFacts): string {
  const [home = ''] = homes;
  if (word === '~' || word.startsWith('~/')) return home + word.slice(1);
  const user = /^~([A-Za-z_][\w.-]*)(?=\/|$)/.exec(word)?.[1];
  if (user !== undefined) return homeOf(user, home) + word.slice(user.length + 1);
  return word.replace(/^\$(?:HERMES_HOME\b|\{HERMES_HOME\})/, () => hermesHomes[0] ?? '$HERMES_HOME');
}

/** The home directory of a user of this machine. */
function homeOf(user: string, home: string): string {
  if (user === home.slice(home.lastIndexOf('/') + 1)) return home;
  if (user === 'root') return '/root';
  return `${home.startsWith('/Users/') ? '/Users' : '/home'}/${user}`;
}

/** Replaces every expansion that is still in the word by a mark. */
export function maskUnknown(word: string): string {
  if (!/[$`]/.test(word)) return word;
  let masked = '';
  for (let at = 0; at < word.length; ) {
    const end = endOfExpansion(word, at);
    masked += end === at ? word[at] : masked.endsWith(UNKNOWN_PART) ? '' : UNKNOWN_PART;
    at = end === at ? at + 1 : end;
  }
  return masked;
}

/** The offset after the expansion that starts here; the same offset if none does. */
function endOfExpansion(word: string, at: number): number {
  if (word[at] === '`') {
    const end = word.indexOf('`', at + 1);
    return end < 0 ? word.length : end + 1;
  }
  if (word[at] !== '$') return at;
  const next = word[at + 1] ?? '';
  if (next === '(' || next === '{') return endOfGroup(word, at + 1);
  const name = /^\$(?:\w+|[@*#?$!-])/.exec(word.slice(at, at + 100));
  return name === null ? at : at + name[0].length;
}

function endOfGroup(word: string, open: number): number {
  const [opening, closing] = word[open] === '(' ? ['(', ')'] : ['{', '}'];
  let depth = 0;
  for (let at = open; at < word.length; at += 1) {
    if (word[at] === opening) depth += 1;
    else if (word[at] === closing) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return word.length;
}

const PROCESS_ROOT = /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/root$/;
const PROCESS_DIRECTORY = /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/cwd$/;

/** Applies `.` and `..`, the root and working directory in /proc, and links, part by part as the kernel does. */
function normalise(path: string, directory: string, links: ReadonlyMap<string, string> | undefined): string {
  const [first = '', ...rest] = path.split('/');
  // Only a path that begins with an unknown part is not absolute here.
  let current = first;
  let followed = 0;
  for (const part of rest) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      // What is above an unknown part is unknown as well.
      if (current !== first) current = current.slice(0, Math.max(0, current.lastIndexOf('/')));
      continue;
    }
    current = `${current}/${part}`;
    if (PROCESS_ROOT.test(current)) current = '';
    else if (PROCESS_DIRECTORY.test(current)) current = directory;
    for (let to = links?.get(current); to !== undefined && followed < 40; to = links?.get(current)) {
      current = to === '/' ? '' : to;
      followed += 1;
    }
  }
  return current === '' ? '/' : current;
}
