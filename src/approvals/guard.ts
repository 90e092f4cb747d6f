import type { ApprovalGuard, Judgement, Reason, ReviewCommand } from '../contracts/index.ts';
import { type AllowEntries, createAllowEntries } from './allow-entries.ts';
import { createDecider } from './decide.ts';
import { isBlockDevice } from './files/devices.ts';
import { protectionOf } from './files/file-guard.ts';
import { judgeSecret } from './files/secrets.ts';
import { OUTSIDE_RULE } from './files/workspace.ts';
import { createPlaces, type Places } from './places.ts';
import { PLAN_RULE } from './plan-rule.ts';

export type ApprovalMode = 'manual' | 'smart' | 'off';
/** Whose writes outside the working directory ask: those of file tools, of commands too, or nobody's. */
export type WorkspaceMode = 'files' | 'all' | 'off';

export type ApprovalGuardOptions = {
  /** `off` lifts every question; the hard block and `deny` stay. */
  mode?: ApprovalMode;
  /** Only what reads may run. */
  planMode?: boolean;
  home?: string;
  hermesHome?: string;
  /** Entries of the allow-list: rules, commands and patterns. */
  allowed?: Iterable<string>;
  /** Patterns of commands that never run. */
  deny?: readonly string[];
  workspace?: WorkspaceMode;
  /** Folders beside the working directory in which may be written. */
  workspaceRoots?: readonly string[];
  /** Someone can be asked; where nobody can, the answer is no unless it was set to be yes. */
  attended?: boolean;
  unattended?: 'deny' | 'approve';
  reviewCommand?: ReviewCommand;
  /** Denials of the same rule in a row after which the model is told to stop asking. */
  denialLimit?: number;
  /** Told each entry that was answered with "always", to be written down. */
  onAlways?(entry: string): void;
};

export const ALLOW: Judgement = { verdict: 'allow', reasons: [] };
/** Before the name of a tool of others. */
export const TOOL_RULE = 'tool ';
export const DENY_RULE = 'denied by approvals.deny';

/** What all judgements of one guard share. */
export type Guarding = { options: ApprovalGuardOptions; places: Places; allowed: AllowEntries };

export function createApprovalGuard(options: ApprovalGuardOptions = {}): ApprovalGuard {
  const allowed = createAllowEntries(options.allowed ?? []);
  const guarding: Guarding = { options, allowed, places: createPlaces(options) };
  return {
    planMode: options.planMode ?? false,
    // Reading shell takes a parser and all the rules, which most starts never need.
    judgeCommand: async (line, workingDirectory) =>
      (await import('./judge-line.ts')).judgeLine(guarding, line, workingDirectory),
    judgeWrite: (path, workingDirectory) => judgeWrite(guarding, path, workingDirectory),
    judgeRead: (path) => judgeRead(guarding, path),
    judgeTool: (tool) => judgeTool(guarding, tool),
    decide: createDecider({
      ...options,
      // It may change while the guard is used.
      get mode() {
        return options.mode;
      },
      allowed,
    }),
  };
}

function judgeWrite({ options, places, allowed }: Guarding, path: string, workingDirectory: string): Judgement {
  if (options.planMode) return block([{ rule: PLAN_RULE, matched: path }]);
  if (isBlockDevice(path)) return block([{ rule: 'overwrite a disk', matched: path }]);
  const outside = options.workspace !== 'off' && places.isOutside(path, workingDirectory) ? OUTSIDE_RULE : undefined;
  const rule = protectionOf(path, places.factsFor(workingDirectory)) ?? outside;
  return rule === undefined || allowed.hasRule(rule) ? ALLOW : ask(options, [{ rule, matched: path }]);
}

function judgeRead({ options, places, allowed }: Guarding, path: string): Judgement {
  const found = judgeSecret(path, places.factsFor('/'));
  if (found === undefined) return ALLOW;
  const reasons = [{ rule: found.rule, matched: path }];
  if (found.verdict === 'block') return block(reasons);
  return allowed.hasRule(found.rule) ? ALLOW : ask(options, reasons);
}

/** Each tool is a rule of its own: to allow one for good says nothing about others of its server. */
function judgeTool(
  { options, allowed }: Guarding,
  { name, reads, asks }: Parameters<ApprovalGuard['judgeTool']>[0],
): Judgement {
  if (options.planMode && !reads) return block([{ rule: PLAN_RULE, matched: name }]);
  const rule = `${TOOL_RULE}${name}`;
  return !asks || allowed.hasRule(rule) ? ALLOW : ask(options, [{ rule, matched: name }]);
}

export function block(reasons: Reason[]): Judgement {
  return { verdict: 'block', reasons };
}

export function ask({ mode }: ApprovalGuardOptions, reasons: Reason[]): Judgement {
  return reasons.length === 0 || mode === 'off' ? ALLOW : { verdict: 'ask', reasons };
}
