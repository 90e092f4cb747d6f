import { type AllowEntries, matchesEntry, rulesForEntry } from './allow-entries.ts';
import type { MachineFacts } from './files/machine-facts.ts';
import { ENV_RULE } from './files/secrets.ts';
import type { Finding } from './judge-command.ts';
import { RULES, ruleMatches } from './rules/index.ts';
import { quoteWords, type ShellCommand } from './shell/shell-command.ts';

const MAX_ENTRY = 500;

/** Rule names that the guard uses itself, outside the table of command rules. */
const OTHER_RULES = [
  'change system files',
  'change credentials',
  'change ssh keys or configuration',
  'change a shell start-up file',
  "change the agent's own configuration",
  'change commands that git runs',
  'write outside the working directory',
  'dangerous command on another machine',
  'dangerous command in a container',
  'read credentials',
  ENV_RULE,
];
const KNOWN_RULES: ReadonlySet<string> = new Set([...RULES.map(({ rule }) => rule), ...OTHER_RULES]);

/** An entry that allows one tool of an MCP server or plugin by name. */
const OTHER_TOOL = /^tool \w+$/;

export type EntryKind = 'rule' | 'pattern' | 'command';

/** How an entry of `command_allowlist` is interpreted. */
export function kindOfEntry(entry: string): EntryKind {
  if (rulesForEntry(entry).some((rule) => KNOWN_RULES.has(rule) || OTHER_TOOL.test(rule))) return 'rule';
  return /[*?]/.test(entry) ? 'pattern' : 'command';
}

/** Whether the allow-list covers a finding. `line` is the whole command line; a pattern must match a single command. */
export function allowListCovers(allowed: AllowEntries, { reason, command }: Finding, line: string): boolean {
  if (allowed.hasRule(reason.rule)) return true;
  if (allowed.has(line.trim()) && !isNewInScript(command)) return true;
  if (command === undefined || !isSelfContained(command)) return false;
  return allowed.all().some((entry) => matchesEntry(entry, command.statement));
}

/** An entry for a line that runs a script does not cover what is added to the script later. */
function isNewInScript(command: ShellCommand | undefined): boolean {
  return command?.script?.isNew(command.source) === true;
}

/**
 * Whether the effect of a command depends on its words alone: no piped input, no redirect to a file, no substitution.
 */
function isSelfContained({ fedBy, redirects, remote, runs, suspected, statement, variables }: ShellCommand): boolean {
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

/** The narrowest allow-list entry that would cover this finding; undefined if only the rule itself would. */
export function proposeEntry({ command, rule }: Finding, line: string, facts: MachineFacts): string | undefined {
  const whole = line.trim();
  const exact = whole.length <= MAX_ENTRY && !/[\n*?]/.test(whole) && !isNewInScript(command) ? whole : undefined;
  if (command === undefined || rule === undefined || !isSelfContained(command)) return exact;
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
