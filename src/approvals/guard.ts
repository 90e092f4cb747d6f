import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalGuard, Asked, Decision, Judgement, Question } from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { findProtectedPaths, namesOfPath, protectionOf } from './file-guard.ts';
import { isPlainlyHarmless, judgeCommandLine } from './judge-command.ts';
import type { Facts } from './targets.ts';

export type ApprovalMode = 'manual' | 'off';

export type ApprovalGuardOptions = {
  /** `off` lifts every question; the hard block stays. */
  mode?: ApprovalMode;
  home?: string;
  hermesHome?: string;
  /** Rules the person allowed for good. */
  allowedRules?: Iterable<string>;
  /** Told each rule that was answered with "always", to be written down. */
  onAlways?(rule: string): void;
};

export function createApprovalGuard(options: ApprovalGuardOptions = {}): ApprovalGuard {
  const home = options.home ?? homedir();
  const hermesHome = options.hermesHome ?? join(home, '.hermes');
  let places: Pick<Facts, 'homes' | 'protectedPaths'> | undefined;
  const always = new Set(options.allowedRules);
  // One question at a time: the answer to the first may settle the second.
  const oneAtATime = createSemaphore(1);

  // Looked up when the first judgement needs it: most starts are over before one does.
  function factsFor(workingDirectory: string): Facts {
    places ??= { homes: namesOfPath(home), protectedPaths: findProtectedPaths(home, hermesHome) };
    return { ...places, workingDirectory };
  }

  function withMode(judgement: Judgement): Judgement {
    if (judgement.verdict !== 'ask') return judgement;
    const reasons = options.mode === 'off' ? [] : judgement.reasons.filter(({ rule }) => !always.has(rule));
    return { verdict: reasons.length > 0 ? 'ask' : 'allow', reasons };
  }

  return {
    async judgeCommand(command, workingDirectory) {
      if (isPlainlyHarmless(command)) return { verdict: 'allow', reasons: [] };
      const parser = await import('unbash');
      return withMode(judgeCommandLine(parser, command, factsFor(workingDirectory)));
    },
    judgeWrite(path, workingDirectory) {
      const rule = protectionOf(path, factsFor(workingDirectory));
      return withMode(
        rule === undefined ? { verdict: 'allow', reasons: [] } : { verdict: 'ask', reasons: [{ rule, matched: path }] },
      );
    },
    async decide(question, asked) {
      const { verdict, reasons } = question.judgement;
      if (verdict === 'block') return { allowed: false, message: blockedMessage(reasons) };
      if (verdict === 'allow') return { allowed: true };
      return oneAtATime.use(() => ask(question, asked, always, options.onAlways));
    },
  };
}

/** Looks at the approved rules again first: while it waited, another answer may have covered it. */
async function ask(
  question: Question,
  { interaction, agent }: Asked,
  always: Set<string>,
  onAlways: ApprovalGuardOptions['onAlways'],
): Promise<Decision> {
  const { toolName, subject } = question;
  const reasons = question.judgement.reasons.filter(({ rule }) => !always.has(rule) && !agent?.approvedRules.has(rule));
  if (reasons.length === 0) return { allowed: true };
  const answer = await interaction.approve({ toolName, subject, reasons });
  if (answer === 'deny') return { allowed: false, message: deniedMessage(reasons) };
  for (const { rule } of answer === 'once' ? [] : reasons) {
    agent?.approvedRules.add(rule);
    if (answer !== 'always' || always.has(rule)) continue;
    always.add(rule);
    onAlways?.(rule);
  }
  return { allowed: true };
}

function listRules(reasons: Judgement['reasons']): string {
  return [...new Set(reasons.map(({ rule }) => rule))].join(', ');
}

/** Says plainly that it is over: models otherwise look for a second door. */
function deniedMessage(reasons: Judgement['reasons']): string {
  return `Not allowed (${listRules(reasons)}). Nothing was done. Do not try to reach the same result in another way; go on without it, or end and say what you would need.`;
}

function blockedMessage(reasons: Judgement['reasons']): string {
  return `Blocked (${listRules(reasons)}). This is never run here, no setting or answer allows it. Do not try another way round.`;
}
