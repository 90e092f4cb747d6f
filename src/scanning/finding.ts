const MAX_REASONS = 3;

/**
 * How strict the scan is, depending on who wrote the text; each scope includes the checks of those before it. `any`:
 * everything that a model reads. `context`: project files and skills. `strict`: text that persists, such as memory
 * entries and installed skills.
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
  | 'permission'
  | 'forced'
  | 'deception'
  | 'disclosure'
  | 'size';

/** A position in a text that looks like prompt injection. */
export type Finding = {
  /** The name of the check, or of the family of attacks that the text resembles. */
  rule: string;
  category: FindingCategory;
  /** Why it is a finding, in words for users and models. It never quotes the text itself. */
  reason: string;
  /** 1-based. */
  line: number;
  /** The matched text with obfuscation removed. Only for users: a model must not read it. */
  excerpt: string;
};

/** A passage that resembles an attack, but not enough for a finding. A model may decide whether it is one. */
export type DoubtfulPassage = {
  /** The passage with the sentences around it; without obfuscation if it was obfuscated. */
  text: string;
  /** The finding that it is if the model takes it for an attack. */
  finding: Finding;
};

/** What a scan found in one text. */
export type Inspection = { findings: Finding[]; doubtful: DoubtfulPassage[] };

/** Reasons and line numbers in one line. It does not quote the text, so it is safe to show to a model. */
export function describeFindings(findings: readonly Finding[]): string {
  const all = [...new Set(findings.map(({ reason, line }) => `${reason} (line ${line})`))];
  const reasons = all.slice(0, MAX_REASONS);
  const more = all.length - reasons.length;
  return reasons.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
