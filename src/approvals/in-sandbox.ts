import type { ApprovalReason, Environment, Judgement } from '../contracts/index.ts';
import { AGENT_RULE, GIT_RULE, OUTSIDE_RULE, OWN_RULE } from './files/file-guard.ts';
import { ENV_RULE } from './files/secrets.ts';

/** Asked whenever a command is to run outside the sandbox. */
const LEAVE_RULE = 'run outside the sandbox';
/** Shown instead of the entry that "always" would add to the allow-list. */
const NO_ENTRY = 'only this call, because leaving the sandbox is asked every time';
const MATCHED_LENGTH = 200;

/** Rules about files that Hermes, git or another agent would load later, outside the sandbox, and about files that git cannot restore. */
const KEPT_RULES: ReadonlySet<string> = new Set([GIT_RULE, OWN_RULE, AGENT_RULE, ENV_RULE]);

/**
 * Rules whose effects stay on this machine, so that the sandbox confines them even if it has a network. All other rules
 * still ask there: a command could send data, run downloaded code or change something on another machine.
 */
const CONFINED_RULES: ReadonlySet<string> = new Set([
  OUTSIDE_RULE,
  'change files outside the project',
  'change a shell start-up file',
  'change disks and volumes',
  'change permissions of system directories',
  'change scheduled jobs',
  'change ssh keys or configuration',
  'change system files',
  'change system settings',
  'change the firewall',
  'change the owner to root',
  'delete many files',
  'destroy file contents',
  'discard files',
  'discard work in git',
  'extract into system directories',
  'format a filesystem',
  'hide traces',
  'inline code that changes protected files',
  'inline code that deletes or runs programs',
  'kill many processes',
  'open permissions to everyone',
  'recursive delete',
  'remove system packages',
  'stop or change services',
  'write to a device',
]);

/** Skips the questions about what the sandbox confines. Without network that is everything that stays inside it. */
export function inSandbox({ verdict, reasons }: Judgement, { network }: { network: boolean }): Judgement {
  if (verdict !== 'ask') return { verdict, reasons };
  const open = reasons.filter(({ rule }) => (network ? !CONFINED_RULES.has(rule) : KEPT_RULES.has(rule)));
  return open.length === 0 ? { verdict: 'allow', reasons: [] } : { verdict, reasons: open };
}

/** Asks before a command leaves the sandbox, in every mode. Blocked commands stay blocked. */
export function outsideSandbox({ verdict, reasons }: Judgement, command: string): Judgement {
  if (verdict === 'block') return { verdict, reasons };
  const leave: ApprovalReason = {
    rule: LEAVE_RULE,
    matched: command.slice(0, MATCHED_LENGTH),
    always: NO_ENTRY,
    everyTime: true,
  };
  return { verdict: 'ask', reasons: [leave, ...reasons] };
}

/**
 * Skips questions that the environment makes unnecessary: all of them in an isolated one, and in the sandbox those
 * about what it confines. Blocked commands stay blocked: by built-in rules, by `approvals.deny` and by plan mode.
 */
export function unlessIsolated(
  judgement: Judgement,
  { isolated, sandbox }: Pick<Environment, 'isolated' | 'sandbox'>,
): Judgement {
  if (sandbox !== undefined) return inSandbox(judgement, sandbox);
  return isolated && judgement.verdict === 'ask' ? { verdict: 'allow', reasons: [] } : judgement;
}
