import type { Judgement, Reason } from '../contracts/index.ts';
import { matchesEntry } from './allow-entries.ts';
import { covers, entryFor } from './cover-findings.ts';
import { type Facts, writtenPaths } from './files/targets.ts';
import { OUTSIDE_RULE } from './files/workspace.ts';
import { ALLOW, type ApprovalGuardOptions, ask, block, DENY_RULE, type Guarding } from './guard.ts';
import { type Findings, isPlainlyHarmless, judgeCommandLine } from './judge-command.ts';
import { findChange } from './plan-mode.ts';
import { PLAN_RULE } from './plan-rule.ts';
import { quoteWords } from './shell/shell-command.ts';

/** Judges a command line with all that the person has set and said. */
export async function judgeLine(guarding: Guarding, line: string, workingDirectory: string): Promise<Judgement> {
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

/** Those findings that nothing has allowed yet, with what "always" would mean for each. */
function openReasons({ allowed }: Guarding, { findings }: Findings, line: string, facts: Facts): Reason[] {
  return findings
    .filter((finding) => !covers(allowed, finding, line))
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
