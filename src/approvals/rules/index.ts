import { protectionOf, protectionsInside } from '../files/file-guard.ts';
import { type Facts, removedPaths, writtenPaths } from '../files/targets.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { CODE_RULES } from './code-rules.ts';
import { DATABASE_RULES } from './database-rules.ts';
import { FILE_RULES } from './file-rules.ts';
import { GIT_RULES } from './git-rules.ts';
import { INFRASTRUCTURE_RULES } from './infrastructure-rules.ts';
import { NETWORK_RULES } from './network-rules.ts';
import type { CommandRule } from './rule.ts';
import { PROCESS_RULES } from './process-rules.ts';
import { SYSTEM_RULES } from './system-rules.ts';

export { HARD_BLOCK } from './hard-block.ts';
export { type CommandRule, namesCommand, ruleMatches } from './rule.ts';

/** What asks first. */
export const RULES: readonly CommandRule[] = [
  ...FILE_RULES,
  ...DATABASE_RULES,
  ...PROCESS_RULES,
  ...SYSTEM_RULES,
  ...NETWORK_RULES,
  ...GIT_RULES,
  ...INFRASTRUCTURE_RULES,
  ...CODE_RULES,
];

/** Rules of the file guard, for what a command writes, and for what it takes away with all that is inside. */
export function protectionsTouched(command: ShellCommand, facts: Facts): string[] {
  // What a container has at these places is its own.
  if (command.remote === 'container') return [];
  return [
    ...writtenPaths(command).flatMap((path) => protectionOf(path, facts) ?? []),
    ...removedPaths(command).flatMap((path) => protectionsInside(path, facts)),
  ];
}
