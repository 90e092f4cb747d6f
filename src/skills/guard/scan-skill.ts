import { scanText } from '../../scanning/index.ts';
import { type GuardFinding, type GuardRule } from './guard-rule.ts';
import { HARM_RULES } from './harm-rules.ts';
import { judgeFiles } from './judge-files.ts';
import type { SkillFile } from './skill-folder.ts';
import { THEFT_RULES } from './theft-rules.ts';
import { TRICK_RULES } from './trick-rules.ts';

const RULES: readonly GuardRule[] = [...THEFT_RULES, ...HARM_RULES, ...TRICK_RULES];
/** Longer lines are looked at in pieces that overlap, so that no pattern has to work on a huge one. */
const [PIECE, OVERLAP] = [2_000, 400];
/** Of one rule in one file; more of the same says nothing new. */
const MOST_OF_A_RULE = 3;
const INJECTION = { category: 'injection', severity: 'danger' } as const;

export type Verdict = 'safe' | 'caution' | 'dangerous';
export type ScanReport = { verdict: Verdict; findings: GuardFinding[] };

/** Looks at all files of a skill: what they are, what stands in them, and whether it tries to take over a reader. */
export async function scanSkill(files: readonly SkillFile[]): Promise<ScanReport> {
  const findings = judgeFiles(files);
  for (const { path, text } of files) {
    if (text === undefined) continue;
    findings.push(...findSuspect(text, path));
    const injected = await scanText(text, 'strict');
    const named = injected.slice(0, MOST_OF_A_RULE);
    findings.push(...named.map(({ reason, line }) => ({ ...INJECTION, reason, file: path, line })));
  }
  return { verdict: verdictOf(findings), findings };
}

/** What the rules say of one text. */
export function findSuspect(text: string, file: string): GuardFinding[] {
  const findings: GuardFinding[] = [];
  const counts = new Map<GuardRule, number>();
  for (const [index, line] of text.split('\n').entries()) {
    for (const rule of RULES.filter(({ pattern }) => piecesOf(line).some((piece) => pattern.test(piece)))) {
      const count = (counts.get(rule) ?? 0) + 1;
      counts.set(rule, count);
      const { category, severity, reason } = rule;
      if (count <= MOST_OF_A_RULE) findings.push({ category, severity, reason, file, line: index + 1 });
    }
  }
  return findings;
}

function piecesOf(line: string): string[] {
  if (line.length <= PIECE) return [line];
  const count = Math.ceil(line.length / (PIECE - OVERLAP));
  return Array.from({ length: count }, (_, index) => line.slice(index * (PIECE - OVERLAP)).slice(0, PIECE));
}

export function verdictOf(findings: readonly Pick<GuardFinding, 'severity'>[]): Verdict {
  if (findings.some(({ severity }) => severity === 'danger')) return 'dangerous';
  return findings.some(({ severity }) => severity === 'caution') ? 'caution' : 'safe';
}
