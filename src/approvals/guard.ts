import type { ApprovalGuard, Judgement, Reason, ReviewCommand } from '../contracts/index.ts';
import { type AllowEntries, createAllowEntries, entryFor, matchesEntry } from './allow-entries.ts';
import { createDecider } from './decide.ts';
import { protectionOf } from './files/file-guard.ts';
import { judgeSecret } from './files/secrets.ts';
import { type Facts, isBlockDevice, writtenPaths } from './files/targets.ts';
import { OUTSIDE_RULE } from './files/workspace.ts';
import { type Findings, isPlainlyHarmless, judgeCommandLine } from './judge-command.ts';
import { createPlaces, type Places } from './places.ts';
import { findChange, PLAN_RULE } from './plan-mode.ts';
import { quoteWords } from './shell/shell-command.ts';

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

const ALLOW: Judgement = { verdict: 'allow', reasons: [] };
export const DENY_RULE = 'denied by approvals.deny';

/** What all judgements of one guard share. */
type Guarding = { options: ApprovalGuardOptions; places: Places; allowed: AllowEntries };

export function createApprovalGuard(options: ApprovalGuardOptions = {}): ApprovalGuard {
  const allowed = createAllowEntries(options.allowed ?? []);
  const guarding: Guarding = { options, allowed, places: createPlaces(options) };
  return {
    planMode: options.planMode ?? false,
    judgeCommand: (line, workingDirectory) => judgeLine(guarding, line, workingDirectory),
    judgeWrite: (path, workingDirectory) => judgeWrite(guarding, path, workingDirectory),
    judgeRead: (path) => judgeRead(guarding, path),
    decide: createDecider({ ...options, allowed }),
  };
}

async function judgeLine(guarding: Guarding, line: string, workingDirectory: string): Promise<Judgement> {
  const { options, places } = guarding;
  if (isPlainlyHarmless(line)) return denied(options, line, undefined) ?? ALLOW;
  const facts = places.factsFor(workingDirectory);
  const judged = judgeCommandLine(await import('unbash'), line, facts);
  if (judged.verdict === 'block') return block(judged.findings.map(({ reason }) => reason));
  const refused = denied(options, line, judged);
  if (refused !== undefined) return refused;
  const change = options.planMode ? findChange(judged) : undefined;
  if (change !== undefined) return block([{ rule: PLAN_RULE, matched: change }]);
  return ask(options, [
    ...openReasons(guarding, judged, line, facts),
    ...outsideReasons(guarding, judged, line, facts),
  ]);
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

function block(reasons: Reason[]): Judgement {
  return { verdict: 'block', reasons };
}

function ask({ mode }: ApprovalGuardOptions, reasons: Reason[]): Judgement {
  return reasons.length === 0 || mode === 'off' ? ALLOW : { verdict: 'ask', reasons };
}

/** Those findings that nothing has allowed yet, with what "always" would mean for each. */
function openReasons({ allowed }: Guarding, { findings }: Findings, line: string, facts: Facts): Reason[] {
  return findings
    .filter((finding) => !allowed.covers(finding, line))
    .map((finding) => ({
      ...finding.reason,
      always: entryFor(finding, line, facts),
      reviewable: finding.rule?.reviewable === true && finding.command?.remote === undefined,
    }));
}

/** Only where the person wants commands held to the working directory too: what a program writes by itself is not seen. */
function outsideReasons(
  { options, places, allowed }: Guarding,
  judged: Findings,
  line: string,
  facts: Facts,
): Reason[] {
  if (options.workspace !== 'all' || allowed.hasRule(OUTSIDE_RULE) || allowed.has(line.trim())) return [];
  const written = judged.commands.filter(({ remote }) => remote === undefined).flatMap(writtenPaths);
  const outside = written.find((path) => places.isOutside(path, facts.workingDirectory));
  return outside === undefined ? [] : [{ rule: OUTSIDE_RULE, matched: outside }];
}

function denied({ deny }: ApprovalGuardOptions, line: string, judged: Findings | undefined): Judgement | undefined {
  const texts = [
    line.trim(),
    ...(judged?.commands ?? []).flatMap(({ statement, name, args }) => [statement, quoteWords([name, ...args])]),
  ];
  const pattern = deny?.find((glob) => texts.some((text) => matchesEntry(glob, text, 'i')));
  return pattern === undefined ? undefined : block([{ rule: DENY_RULE, matched: pattern }]);
}
