import type { Finding } from './finding.ts';

const NAMED = 3;

/** Which reasons and lines, in one line; has nothing of the text itself, so a model may read it too. */
export function describeFindings(findings: readonly Finding[]): string {
  const all = [...new Set(findings.map(({ reason, line }) => `${reason} (line ${line})`))];
  const reasons = all.slice(0, NAMED);
  const more = all.length - reasons.length;
  return reasons.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
