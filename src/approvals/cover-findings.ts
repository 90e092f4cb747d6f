import { type AllowEntries, matchesEntry, rulesNamed } from './allow-entries.ts';
import type { Facts } from './files/targets.ts';
import type { Finding } from './judge-command.ts';
import { RULES, ruleMatches } from './rules/index.ts';
import { quoteWords, type ShellCommand } from './shell/shell-command.ts';

const MAX_ENTRY = 500;

/** Names that are no rule of a command but of the guard itself. */
const OTHER_RULES = [
  'change system files',
  'change credentials',
  'change ssh keys or configuration',
  'change a shell start-up file',
  "change the agent's own configuration",
  'change what git runs',
  'write outside the working directory',
  'dangerous command on another machine',
  'dangerous command in a container',
  'read credentials',
];
const KNOWN_RULES: ReadonlySet<string> = new Set([...RULES.map(({ rule }) => rule), ...OTHER_RULES]);

/** A tool of a server or a plugin that was allowed by its name. */
const OTHER_TOOL = /^tool \w+$/;

export type EntryKind = 'rule' | 'pattern' | 'command';

/** What an entry of `command_allowlist` means. */
export function kindOfEntry(entry: string): EntryKind {
  if (rulesNamed(entry).some((rule) => KNOWN_RULES.has(rule) || OTHER_TOOL.test(rule))) return 'rule';
  return /[*?]/.test(entry) ? 'pattern' : 'command';
}

/** Whether an entry covers a finding. `line` is the whole command line; a pattern is only held against one command of it. */
export function covers(allowed: AllowEntries, { reason, command }: Finding, line: string): boolean {
  if (allowed.hasRule(reason.rule) || allowed.has(line.trim())) return true;
  if (command === undefined || !standsAlone(command)) return false;
  return allowed.all().some((entry) => matchesEntry(entry, command.statement));
}

/** What is allowed by its words must do what its words say, without anything from around it. */
function standsAlone({ fedBy, redirects, remote, runs, suspected, statement, variables }: ShellCommand): boolean {
  const writes = redirects.some(
    ({ operator, target }) => operator.includes('>') && !/^(?:\/dev\/null|\d+|-)$/.test(target),
  );
  return (
    fedBy.length === 0 &&
    runs === undefined &&
    !writes &&
    remote === undefined &&
    !suspected &&
    statement !== '' &&
    variables.length === 0 &&
    !/[$`]\(/.test(statement)
  );
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
