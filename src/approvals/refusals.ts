import type { ApprovalQuestion, ApprovalReason } from '../contracts/index.ts';
import { takeStart } from '../util/index.ts';

/** The rule name of a block in plan mode. */
export const PLAN_RULE = 'plan mode';
export const DENY_RULE = 'denied by approvals.deny';
/** The prefix of the rule name for a tool of an MCP server or plugin. */
export const TOOL_RULE = 'tool ';

/** Tells the model to continue without the change instead of looking for a workaround. */
const PLAN_MESSAGE =
  'Plan mode is on: only read-only operations may run, and this one could change something. It was not run. Read what you need, then describe the change instead of making it.';
/** States that the answer is final, because models otherwise look for a workaround. */
const NO_WORKAROUND = 'Do not try to achieve the same result in another way.';
const CONTINUE = 'Continue without it, or stop and explain what you need.';

const MAX_REASON = 500;

const NOT_DONE = { run: 'Nothing was run.', write: 'Nothing was written.', read: 'Nothing was read.' } as const;

type Refused = Pick<ApprovalQuestion, 'access'>;

/** What the model reads if the user or the approval reviewer denied something. */
export function deniedMessage(
  reasons: readonly ApprovalReason[],
  { access = 'run' }: Refused,
  reason?: string,
): string {
  const given = reason === undefined ? '' : ` The user's reason: ${JSON.stringify(takeStart(reason, MAX_REASON))}.`;
  return `Not allowed: ${describe(reasons)}, and approval was denied.${given} ${NOT_DONE[access]} ${NO_WORKAROUND} ${CONTINUE}`;
}

export function unattendedMessage(reasons: readonly ApprovalReason[], { access = 'run' }: Refused): string {
  return `Not allowed: ${describe(reasons)}, which needs the user's approval, and no user is present. ${NOT_DONE[access]} ${NO_WORKAROUND} ${CONTINUE}`;
}

export function blockedMessage(reasons: readonly ApprovalReason[], { access = 'run' }: Refused): string {
  const names = ruleNames(reasons);
  if (names.includes(PLAN_RULE)) return PLAN_MESSAGE;
  if (names.includes(DENY_RULE))
    return `Blocked by the user's setting approvals.deny (${reasons[0]?.matched ?? ''}). ${NOT_DONE[access]} ${NO_WORKAROUND}`;
  return `Blocked: ${describe(reasons)}. ${NOT_DONE[access]} This operation is blocked in every mode and cannot be approved. ${NO_WORKAROUND}`;
}

export function ruleNames(reasons: readonly ApprovalReason[]): string[] {
  return [...new Set(reasons.map(({ rule }) => rule))];
}

/** Rules that are named after a thing. The others are named after what a command does. */
const THINGS: Readonly<Record<string, string>> = {
  'recursive delete': 'run a recursive delete',
  'destructive SQL': 'run destructive SQL',
  'fork bomb': 'start a fork bomb',
  'memory write': 'change the memory',
  'changes of skills': 'change a skill',
  'suspect skill': 'write suspicious text into a skill',
};

/** `this would change system files and delete many files`. */
function describe(reasons: readonly ApprovalReason[]): string {
  const actions = ruleNames(reasons).map((rule) => {
    if (rule.startsWith(TOOL_RULE)) return `call the ${rule}`;
    if (/^(?:a command|inline code) /.test(rule)) return `run ${rule}`;
    if (rule.startsWith('dangerous command ')) return `run a ${rule}`;
    return THINGS[rule] ?? rule;
  });
  return `this would ${actions.join(' and ')}`;
}
