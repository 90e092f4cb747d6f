const NAMED = 3;

/**
 * Whose text it is decides how much is forbidden in it; each scope has the rules of those before it.
 * `any`: whatever comes before a model. `context`: project files and skills that are read. `strict`: what stays, such as
 * memory that is written and skills that are installed.
 */
export type ScanScope = 'any' | 'context' | 'strict';

export type FindingCategory =
  | 'override'
  | 'role'
  | 'invisible'
  | 'hidden'
  | 'exfiltration'
  | 'secrecy'
  | 'encoded'
  | 'remote'
  | 'lasting'
  | 'size';

/** One place in a text that looks like an attempt to take over whoever reads it. */
export type Finding = {
  /** The name of the rule. */
  rule: string;
  category: FindingCategory;
  /** Why, in words for a person and a model; never has anything of the text itself. */
  reason: string;
  /** The first is 1. */
  line: number;
  /** The words that were found, with every disguise taken off. For people only: a model must not read it. */
  excerpt: string;
};

/** Reasons and line numbers in one line. It quotes nothing of the text, so it is safe to show to a model. */
export function describeFindings(findings: readonly Finding[]): string {
  const all = [...new Set(findings.map(({ reason, line }) => `${reason} (line ${line})`))];
  const reasons = all.slice(0, NAMED);
  const more = all.length - reasons.length;
  return reasons.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
