import type { Finding, ScanScope } from './finding.ts';

export type { Finding, ScanScope } from './finding.ts';
export { describeFindings } from './describe-findings.ts';

/** Looks for injection. Nothing found is an empty list. The rules are loaded at the first scan, never before. */
export async function scanText(text: string, scope: ScanScope): Promise<Finding[]> {
  const { findInjection } = await import('./find-injection.ts');
  return findInjection(text, scope);
}
