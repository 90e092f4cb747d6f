import { protectionOf, protectionsInside } from '../files/file-guard.ts';
import { type Facts, removedPaths, writtenPaths } from '../files/targets.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { CLOUD_RULES } from './cloud-rules.ts';
import { CODE_RULES } from './code-rules.ts';
import { DATABASE_RULES } from './database-rules.ts';
import { FILE_RULES } from './file-rules.ts';
import { GIT_RULES } from './git-rules.ts';
import { INFRASTRUCTURE_RULES } from './infrastructure-rules.ts';
import { NETWORK_RULES } from './network-rules.ts';
import { HARD_BLOCK } from './hard-block.ts';
import { type CommandRule, namesCommand } from './rule.ts';
import { SECRET_RULES } from './secret-rules.ts';
import { PROCESS_RULES } from './process-rules.ts';
import { SETTINGS_RULES } from './settings-rules.ts';
import { SYSTEM_RULES } from './system-rules.ts';

export { type CommandRule, ruleMatches } from './rule.ts';

/** What asks first. */
export const RULES: readonly CommandRule[] = [
  ...FILE_RULES,
  ...DATABASE_RULES,
  ...PROCESS_RULES,
  ...SYSTEM_RULES,
  ...SETTINGS_RULES,
  ...NETWORK_RULES,
  ...GIT_RULES,
  ...INFRASTRUCTURE_RULES,
  ...CLOUD_RULES,
  ...CODE_RULES,
  ...SECRET_RULES,
];

type Indexed = { byName: ReadonlyMap<string, readonly CommandRule[]>; others: readonly CommandRule[] };

/** Most rules are about a few names, so each name has its own list, in the order of the rules. */
function indexRules(rules: readonly CommandRule[]): Indexed {
  const names = new Set(rules.flatMap(({ commands }) => (Array.isArray(commands) ? (commands as string[]) : [])));
  const others = rules.filter(({ commands }) => !Array.isArray(commands));
  const listFor = (name: string) => rules.filter((rule) => !Array.isArray(rule.commands) || namesCommand(rule, name));
  return { others, byName: new Map([...names].map((name) => [name, listFor(name)])) };
}

const INDEXED = { block: indexRules(HARD_BLOCK), ask: indexRules(RULES) };

/** The rules of a kind that may be about a command of this name. */
export function rulesFor(kind: 'block' | 'ask', name: string): readonly CommandRule[] {
  return INDEXED[kind].byName.get(name) ?? INDEXED[kind].others;
}

/** Whether a rule is about commands of this name, and not about all of them. */
export function hasRuleFor(name: string): boolean {
  const { block, ask } = INDEXED;
  return (
    block.byName.has(name) ||
    ask.byName.has(name) ||
    block.others.some((rule) => namesCommand(rule, name)) ||
    ask.others.some((rule) => namesCommand(rule, name))
  );
}

/** Rules of the file guard, for what a command writes, and for what it takes away with all that is inside. */
export function protectionsTouched(command: ShellCommand, facts: Facts): string[] {
  // What a container has at these places is its own.
  if (command.remote === 'container') return [];
  return [
    ...writtenPaths(command).flatMap((path) => protectionOf(path, facts) ?? []),
    ...removedPaths(command).flatMap((path) => protectionsInside(path, facts)),
  ];
}
