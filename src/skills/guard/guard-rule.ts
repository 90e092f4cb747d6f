export const GUARD_CATEGORIES = [
  ...(['exfiltration', 'injection', 'destructive', 'persistence', 'obfuscation', 'supply chain'] as const),
  ...(['credentials', 'privilege', 'traversal', 'network', 'files'] as const),
] as const;
export type GuardCategory = (typeof GUARD_CATEGORIES)[number];

/** `danger` wants to be forced, `caution` to be confirmed, a `note` is only told. */
export type Severity = 'danger' | 'caution' | 'note';

/**
 * What makes a skill suspect. Patterns are tried on single lines of bounded length, and have no repetition inside of
 * another, so that no text can hold them up.
 */
export type GuardRule = {
  category: GuardCategory;
  severity: Severity;
  /** Why, so that it follows "it". */
  reason: string;
  pattern: RegExp;
};

/** Something that was found in a skill. */
export type GuardFinding = Omit<GuardRule, 'pattern'> & {
  /** Relative to the skill. */
  file: string;
  /** The first is 1; undefined for what is about the whole file. */
  line?: number;
};

export const danger = (category: GuardCategory, reason: string, pattern: RegExp): GuardRule => ({
  category,
  severity: 'danger',
  reason,
  pattern,
});
export const caution = (category: GuardCategory, reason: string, pattern: RegExp): GuardRule => ({
  category,
  severity: 'caution',
  reason,
  pattern,
});
export const note = (category: GuardCategory, reason: string, pattern: RegExp): GuardRule => ({
  category,
  severity: 'note',
  reason,
  pattern,
});
