import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalGuard, Judgement, Reason, ReviewCommand } from '../contracts/index.ts';
import { createAllowEntries, entryFor, matchesEntry } from './allow-entries.ts';
import { createDecider } from './decide.ts';
import { findProtectedPaths, namesOfPath, protectionOf } from './files/file-guard.ts';
import { judgeSecret } from './files/secrets.ts';
import { type Facts, isBlockDevice, writtenPaths } from './files/targets.ts';
import { isInWorkspace, OUTSIDE_RULE, temporaryFolders } from './files/workspace.ts';
import { type Findings, isPlainlyHarmless, judgeCommandLine } from './judge-command.ts';
import { findChange, PLAN_RULE } from './plan-mode.ts';

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

export function createApprovalGuard(options: ApprovalGuardOptions = {}): ApprovalGuard {
  const home = options.home ?? homedir();
  const hermesHome = options.hermesHome ?? join(home, '.hermes');
  const planMode = options.planMode ?? false;
  const allowed = createAllowEntries(options.allowed ?? []);
  let places: Omit<Facts, 'workingDirectory'> | undefined;
  let temporary: string[] | undefined;

  // Looked up when the first judgement needs it: most starts are over before one does.
  function factsFor(workingDirectory: string): Facts {
    places ??= {
      homes: namesOfPath(home),
      hermesHomes: namesOfPath(hermesHome),
      protectedPaths: findProtectedPaths(home, hermesHome),
    };
    return { ...places, workingDirectory };
  }

  function isOutside(path: string, workingDirectory: string): boolean {
    temporary ??= [...temporaryFolders(), ...(options.workspaceRoots ?? []).flatMap(namesOfPath)];
    return !isInWorkspace(path, [...namesOfPath(workingDirectory), ...temporary]);
  }

  function withMode(reasons: Reason[]): Judgement {
    return reasons.length === 0 || options.mode === 'off' ? ALLOW : { verdict: 'ask', reasons };
  }

  /** Those findings that nothing has allowed yet, with what "always" would mean for each. */
  function reasonsOf({ findings }: Findings, line: string, facts: Facts): Reason[] {
    return findings
      .filter((finding) => !allowed.covers(finding, line))
      .map((finding) => ({
        ...finding.reason,
        always: entryFor(finding, line, facts),
        reviewable: finding.rule?.reviewable === true && finding.command?.remote === undefined,
      }));
  }

  function outsideReasons({ commands }: Findings, line: string, facts: Facts): Reason[] {
    if (options.workspace !== 'all' || allowed.hasRule(OUTSIDE_RULE)) return [];
    const outside = commands
      .filter(({ remote }) => remote === undefined)
      .flatMap(writtenPaths)
      .find((path) => isOutside(path, facts.workingDirectory));
    return outside === undefined || allowed.has(line.trim()) ? [] : [{ rule: OUTSIDE_RULE, matched: outside }];
  }

  function denied(line: string, judged: Findings | undefined): Judgement | undefined {
    const texts = [line.trim(), ...(judged?.commands ?? []).map(({ statement }) => statement)];
    const pattern = options.deny?.find((glob) => texts.some((text) => matchesEntry(glob, text, 'i')));
    return pattern === undefined ? undefined : { verdict: 'block', reasons: [{ rule: DENY_RULE, matched: pattern }] };
  }

  return {
    planMode,
    async judgeCommand(line, workingDirectory) {
      if (isPlainlyHarmless(line)) return denied(line, undefined) ?? ALLOW;
      const facts = factsFor(workingDirectory);
      const judged = judgeCommandLine(await import('unbash'), line, facts);
      if (judged.verdict === 'block') return { verdict: 'block', reasons: judged.findings.map(({ reason }) => reason) };
      const refused = denied(line, judged);
      if (refused !== undefined) return refused;
      const change = planMode ? findChange(judged) : undefined;
      if (change !== undefined) return { verdict: 'block', reasons: [{ rule: PLAN_RULE, matched: change }] };
      return withMode([...reasonsOf(judged, line, facts), ...outsideReasons(judged, line, facts)]);
    },
    judgeWrite(path, workingDirectory) {
      if (planMode) return { verdict: 'block', reasons: [{ rule: PLAN_RULE, matched: path }] };
      if (isBlockDevice(path)) return { verdict: 'block', reasons: [{ rule: 'overwrite a disk', matched: path }] };
      const facts = factsFor(workingDirectory);
      const rule =
        protectionOf(path, facts) ??
        (options.workspace !== 'off' && isOutside(path, workingDirectory) ? OUTSIDE_RULE : undefined);
      return rule === undefined || allowed.hasRule(rule) ? ALLOW : withMode([{ rule, matched: path }]);
    },
    judgeRead(path) {
      const found = judgeSecret(path, factsFor('/'));
      if (found === undefined) return ALLOW;
      const reasons = [{ rule: found.rule, matched: path }];
      return found.verdict === 'block'
        ? { verdict: 'block', reasons }
        : allowed.hasRule(found.rule)
          ? ALLOW
          : withMode(reasons);
    },
    decide: createDecider({ ...options, allowed }),
  };
}
