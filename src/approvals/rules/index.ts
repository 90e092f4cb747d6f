import { CLOUD_CHANGE_RULES, isCloudProgram } from './cloud-changes.ts';
import { CLOUD_RULES } from './cloud-rules.ts';
import { CODE_RULES } from './code-rules.ts';
import { DATABASE_RULES } from './database-rules.ts';
import { ENVIRONMENT_RULES } from './environment-rules.ts';
import { FILE_RULES } from './file-rules.ts';
import { GIT_RULES } from './git-rules.ts';
import { INFRASTRUCTURE_RULES } from './infrastructure-rules.ts';
import { NETWORK_RULES } from './network-rules.ts';
import { HARD_BLOCK } from './hard-block.ts';
import { OWN_RULES } from './own-rules.ts';
import { HISTORY_RULES } from './history-rules.ts';
import { DEVICE_PROGRAM_RULES } from './device-programs.ts';
import { DEBUGGER_RULES } from './debugger-rules.ts';
import { REDIRECT_RULES } from './redirect-rules.ts';
import { PUBLISH_RULES } from './publish-rules.ts';
import { PUBLISH_PROGRAM_RULES } from './publish-programs.ts';
import { REMOTE_PROGRAM_RULES } from './remote-programs.ts';
import { SERVICE_PROGRAM_RULES } from './service-programs.ts';
import { SYSTEM_PROGRAM_RULES } from './system-programs.ts';
import { OUTSIDE_FILE_RULES } from './outside-files.ts';
import { PERSONAL_FILE_RULES } from './personal-files.ts';
import { DISK_SPACE_RULES } from './disk-space.ts';
import { rootRules } from './root-rules.ts';
import { DOWNLOADED_CODE_RULES } from './downloaded-code.ts';
import { UNKNOWN_PROGRAM_RULES } from './unknown-programs.ts';
import { MACHINE_USE_RULES } from './machine-use.ts';
import { MESSAGE_RULES } from './message-rules.ts';
import { OTHER_AGENT_RULES } from './other-agents.ts';
import { type CommandRule, namesCommand } from './rule.ts';
import { SEND_RULES } from './send-rules.ts';
import { LATER_RULES } from './later-rules.ts';
import { SECRET_RULES } from './secret-rules.ts';
import { PROCESS_RULES } from './process-rules.ts';
import { SETTINGS_RULES } from './settings-rules.ts';
import { SYSTEM_RULES } from './system-rules.ts';

export { type CommandRule, ruleMatches } from './rule.ts';

/** The rules for commands that need approval. */
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
  ...CLOUD_CHANGE_RULES,
  ...CODE_RULES,
  ...OWN_RULES,
  ...SECRET_RULES,
  ...ENVIRONMENT_RULES,
  ...PUBLISH_RULES,
  ...REDIRECT_RULES,
  ...DEBUGGER_RULES,
  ...HISTORY_RULES,
  ...DOWNLOADED_CODE_RULES,
  ...PERSONAL_FILE_RULES,
  ...OUTSIDE_FILE_RULES,
  ...SYSTEM_PROGRAM_RULES,
  ...SERVICE_PROGRAM_RULES,
  ...DEVICE_PROGRAM_RULES,
  ...REMOTE_PROGRAM_RULES,
  ...PUBLISH_PROGRAM_RULES,
  ...SEND_RULES,
  ...MESSAGE_RULES,
  ...OTHER_AGENT_RULES,
  ...MACHINE_USE_RULES,
  ...LATER_RULES,
  ...DISK_SPACE_RULES,
  ...rootRules(isNamed),
];

type RuleIndex = {
  names: ReadonlySet<string>;
  others: readonly CommandRule[];
  lists: Map<string, readonly CommandRule[]>;
};

/** Most rules apply to a few command names. The list of a name is made when the name first occurs. */
function indexRules(rules: readonly CommandRule[]): RuleIndex {
  const names = new Set(rules.flatMap(({ commands }) => (Array.isArray(commands) ? (commands as string[]) : [])));
  return { names, others: rules.filter(({ commands }) => !Array.isArray(commands)), lists: new Map() };
}

const KINDS = { block: HARD_BLOCK, ask: RULES };
const INDEXES = { block: indexRules(HARD_BLOCK), ask: indexRules(RULES) };

/** Whether a rule of any kind names this program. */
function isNamed(name: string): boolean {
  const { names, others } = INDEXES.ask;
  return names.has(name) || others.some((rule) => rule.commands !== undefined && namesCommand(rule, name));
}

/** The rules for programs that no rule names. */
const WITHOUT_TABLE = [...INDEXES.ask.others, ...UNKNOWN_PROGRAM_RULES];

/** The rules of a kind that may apply to a command of this name, in their order. */
export function rulesFor(kind: 'block' | 'ask', name: string): readonly CommandRule[] {
  const { names, others, lists } = INDEXES[kind];
  if (!names.has(name)) return kind === 'ask' ? WITHOUT_TABLE : others;
  const known = lists.get(name);
  if (known !== undefined) return known;
  const named = KINDS[kind].filter((rule) => !Array.isArray(rule.commands) || namesCommand(rule, name));
  const list = kind === 'ask' && !isCloudProgram(name) ? [...named, ...UNKNOWN_PROGRAM_RULES] : named;
  lists.set(name, list);
  return list;
}

const BY_NAME = [...HARD_BLOCK, ...RULES].filter(({ byArguments }) => byArguments !== true);
const NAMES: ReadonlySet<string> = new Set(
  BY_NAME.flatMap(({ commands }) => (Array.isArray(commands) ? (commands as string[]) : [])),
);
const NAME_PATTERNS = BY_NAME.filter(({ commands }) => commands instanceof RegExp);

/** Whether a rule applies to this command name specifically. */
export function hasRuleFor(name: string): boolean {
  return NAMES.has(name) || NAME_PATTERNS.some((rule) => namesCommand(rule, name));
}
