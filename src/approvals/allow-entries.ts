import type { Finding } from './judge-command.ts';
import { LEGACY_RULES } from './legacy-rules.ts';
import { RULES, ruleMatches } from './rules/index.ts';
import type { Facts } from './files/targets.ts';
import { quoteWords, type ShellCommand } from './shell/shell-command.ts';

const MAX_ENTRY = 500;

/** What the person allowed for good: rules by their name, commands as they are, and patterns with `*`. */
export interface AllowEntries {
  add(entry: string): void;
  hasRule(rule: string): boolean;
  has(entry: string): boolean;
  /** `line` is the whole command line; a pattern is only ever held against one command of it. */
  covers(finding: Finding, line: string): boolean;
}

export type EntryKind = 'rule' | 'pattern' | 'command';

/** What an entry of `command_allowlist` means. */
export function kindOfEntry(entry: string): EntryKind {
  if (rulesNamed(entry).length > 0) return 'rule';
  return /[*?]/.test(entry) ? 'pattern' : 'command';
}

/** The rules an entry stands for: its own name, or the words that earlier versions of this list used. */
function rulesNamed(entry: string): string[] {
  const legacy = Object.hasOwn(LEGACY_RULES, entry) ? (LEGACY_RULES[entry] ?? []) : [];
  return [...(KNOWN_RULES.has(entry) ? [entry] : []), ...legacy];
}

/** Names that are no rule of a command but of the guard itself. */
const OTHER_RULES = [
  ...['change system files', 'change credentials', 'change ssh keys or configuration', 'change a shell start-up file'],
  ...["change the agent's own configuration", 'change what git runs', 'write outside the working directory'],
  ...['dangerous command on another machine', 'dangerous command in a container', 'read credentials'],
];
const KNOWN_RULES: ReadonlySet<string> = new Set([...RULES.map(({ rule }) => rule), ...OTHER_RULES]);

export function createAllowEntries(given: Iterable<string>): AllowEntries {
  const entries = new Set<string>();
  const rules = new Set<string>();
  const add = (entry: string) => {
    entries.add(entry.trim());
    for (const rule of rulesNamed(entry.trim())) rules.add(rule);
  };
  for (const entry of given) add(entry);
  return {
    add,
    hasRule: (rule) => rules.has(rule),
    has: (entry) => entries.has(entry),
    covers({ reason, command }, line) {
      if (rules.has(reason.rule) || entries.has(line.trim())) return true;
      if (command === undefined || !standsAlone(command)) return false;
      return [...entries].some((entry) => matchesEntry(entry, command.statement));
    },
  };
}

/** What is allowed by its words must do what its words say, without anything from around it. */
function standsAlone({ fedBy, redirects, remote, suspected, statement, variables }: ShellCommand): boolean {
  const writes = redirects.some(
    ({ operator, target }) => operator.includes('>') && !/^(?:\/dev\/null|\d+|-)$/.test(target),
  );
  return (
    fedBy.length === 0 &&
    !writes &&
    remote === undefined &&
    !suspected &&
    statement !== '' &&
    variables.length === 0 &&
    !/[$`]\(/.test(statement)
  );
}

/** `git push --force *` also covers the command with nothing behind it. */
export function matchesEntry(entry: string, statement: string, flags = 's'): boolean {
  if (!/[*?]/.test(entry))
    return flags.includes('i') ? entry.toLowerCase() === statement.toLowerCase() : entry === statement;
  if (entry.endsWith(' *') && statement === entry.slice(0, -2)) return true;
  return wildcard(entry, flags.includes('i')).test(statement);
}

/** Only `*` and `?` mean something; the pattern is walked without going back further than the last `*`. */
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

/** The narrowest entry that would cover this finding the next time; undefined where nothing but the rule would. */
export function entryFor({ command, rule }: Finding, line: string, facts: Facts): string | undefined {
  const whole = line.trim();
  const exact = whole.length <= MAX_ENTRY && !/[\n*?]/.test(whole) ? whole : undefined;
  if (command === undefined || rule === undefined || !standsAlone(command)) return exact;
  const { statement } = command;
  if (rule.alwaysByPrefix && statement === quoteWords([command.name, ...command.args])) {
    const length = command.args.findIndex(
      (_, index) => index > 0 && ruleMatches(rule, { ...command, args: command.args.slice(0, index + 1) }, facts),
    );
    const first = ruleMatches(rule, { ...command, args: command.args.slice(0, 1) }, facts);
    const words = first ? 1 : length + 1;
    if (words > 0 && words < command.args.length)
      return `${quoteWords([command.name, ...command.args.slice(0, words)])} *`;
    if (words === command.args.length) return `${statement} *`;
  }
  return statement.length <= MAX_ENTRY && !/[\n*?]/.test(statement) ? statement : exact;
}
