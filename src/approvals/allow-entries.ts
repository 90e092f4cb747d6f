/** Rule names in existing allow-lists that are no longer used, with the rules that cover the same commands. */
const LEGACY_RULES: Readonly<Record<string, readonly string[]>> = {
  'delete in root path': ['recursive delete'],
  'recursive delete (long flag)': ['recursive delete'],
  'world/other-writable permissions': ['open permissions to everyone'],
  'recursive world/other-writable (long flag)': ['open permissions to everyone'],
  'recursive chown to root': ['change the owner to root'],
  'recursive chown to root (long flag)': ['change the owner to root'],
  'format filesystem': ['format a filesystem'],
  'disk copy': ['write to a device'],
  'write to block device': ['write to a device'],
  'SQL DROP': ['destructive SQL'],
  'SQL DELETE without WHERE': ['destructive SQL'],
  'SQL TRUNCATE': ['destructive SQL'],
  'overwrite system config': ['change system files'],
  'stop/restart system service': ['stop or change services'],
  'stop/disable system service': ['stop or change services'],
  'force kill processes': ['kill many processes'],
  'script execution via -e/-c flag': ['inline code that deletes or runs programs'],
  'shell command via -c/-lc flag': ['a command whose name is computed'],
  'script execution via heredoc': ['inline code that deletes or runs programs'],
  'pipe remote content to shell': ['run downloaded code'],
  'execute remote script via process substitution': ['run downloaded code'],
  'overwrite system file via tee': ['change system files', 'change ssh keys or configuration', 'change credentials'],
  'overwrite system file via redirection': [
    'change system files',
    'change ssh keys or configuration',
    'change credentials',
  ],
  'copy/move file into /etc/': ['change system files'],
  'in-place edit of system config': ['change system files'],
  'in-place edit of system config (long flag)': ['change system files'],
  'xargs with rm': ['delete many files', 'recursive delete'],
  'find -exec rm': ['delete many files', 'recursive delete'],
  'find -delete': ['delete many files'],
  'git reset --hard (destroys uncommitted changes)': ['discard work in git'],
  'git clean with force (deletes untracked files)': ['discard work in git'],
  'git branch force delete': ['discard work in git'],
  'git force push (rewrites remote history)': ['rewrite git history'],
  'git force push short flag (rewrites remote history)': ['rewrite git history'],
  // Earlier names of our own rules.
  'let a container at the whole machine': ['give a container access to the host'],
  'throw files away': ['discard files'],
  'run hidden text': ['run decoded or generated code'],
  'run what the network sends': ['run downloaded code'],
  'give files to root': ['change the owner to root'],
  'change what git runs': ['change commands that git runs'],
  'unpack over the system': ['extract into system directories'],
  'extract into system folders': ['extract into system directories'],
  'change permissions of system folders': ['change permissions of system directories'],
  'change users or rights': ['change users or permissions'],
  'send secrets away': ['send secrets to another machine'],
};

/** The allow-list: rules by name, exact commands, and glob patterns. */
export interface AllowEntries {
  add(entry: string): void;
  all(): readonly string[];
  has(entry: string): boolean;
  /** Whether the rule is listed, by its name or by the name that the original Hermes uses. */
  hasRule(rule: string): boolean;
}

export function createAllowEntries(given: Iterable<string>): AllowEntries {
  const entries = new Set<string>();
  const rules = new Set<string>();
  const add = (entry: string) => {
    entries.add(entry.trim());
    for (const rule of rulesForEntry(entry.trim())) rules.add(rule);
  };
  for (const entry of given) add(entry);
  return {
    add,
    all: () => [...entries],
    has: (entry) => entries.has(entry),
    hasRule: (rule) => rules.has(rule),
  };
}

/** The rules that an entry may stand for. */
export function rulesForEntry(entry: string): readonly string[] {
  return [entry, ...(Object.hasOwn(LEGACY_RULES, entry) ? (LEGACY_RULES[entry] ?? []) : [])];
}

/** Matches an entry against a command. `git push --force *` also matches the command without further arguments. */
export function matchesEntry(entry: string, statement: string, flags = 's'): boolean {
  if (!/[*?]/.test(entry))
    return flags.includes('i') ? entry.toLowerCase() === statement.toLowerCase() : entry === statement;
  if (entry.endsWith(' *') && statement === entry.slice(0, -2)) return true;
  return wildcard(entry, flags.includes('i')).test(statement);
}

/** Whether an entry allows no more than another one, such as `git push --force origin *` than `git push --force *`. */
export function isNarrowerEntry(entry: string, than: string): boolean {
  if (entry === than) return true;
  // A `?` of the other entry would match a `*` of this one, which stands for more than one character.
  if (!than.includes('*') || than.includes('?') || entry.trim() === '') return false;
  return matchesEntry(than, entry);
}

/** The entries that allow no more than one of those that were offered. */
export function narrowedEntries(entries: readonly string[], offered: readonly string[]): string[] {
  return entries.map((entry) => entry.trim()).filter((entry) => offered.some((than) => isNarrowerEntry(entry, than)));
}

/** Glob matching with `*` and `?`. It backtracks only to the last `*`, so that the time stays quadratic at worst. */
function wildcard(pattern: string, ignoreCase: boolean): { test(text: string): boolean } {
  const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
  return {
    test(given) {
      const text = ignoreCase ? given.toLowerCase() : given;
      let [at, place, star, mark] = [0, 0, -1, 0];
      while (at < text.length) {
        if (place < wanted.length && (wanted[place] === '?' || (wanted[place] === text[at] && wanted[place] !== '*'))) {
          at += 1;
          place += 1;
        } else if (wanted[place] === '*') {
          star = place;
          mark = at;
          place += 1;
        } else if (star >= 0) {
          mark += 1;
          at = mark;
          place = star + 1;
        } else return false;
      }
      while (wanted[place] === '*') place += 1;
      return place === wanted.length;
    },
  };
}
