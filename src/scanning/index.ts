import type { Finding, ScanScope } from './finding.ts';
import { createCachedScan, type PassageReview, type TextScan } from './scan-cache.ts';

export type { Finding, ScanScope } from './finding.ts';
export { describeFindings } from './finding.ts';
export type { PassageReview, TextScan } from './scan-cache.ts';

declare const HERMES_SCAN_RULES: string | undefined;

/** Scans a text for prompt injection; an empty list means no findings. The rules are loaded at the first scan. */
export async function scanText(text: string, scope: ScanScope): Promise<Finding[]> {
  const { findInjection } = await import('./find-injection.ts');
  return findInjection(text, scope);
}

/** Like `scanTexts`, but with a scan cache, for texts that recur in every session, and with a review by a model. */
export function createScanCache(folder: string, review?: PassageReview): TextScan {
  // The build inserts a digest of the rules. Without it the rules may change between invocations, so nothing is
  // cached.
  const rules = typeof HERMES_SCAN_RULES === 'string' ? HERMES_SCAN_RULES : undefined;
  const scan = async (text: string, scope: ScanScope) => (await import('./find-injection.ts')).inspectText(text, scope);
  return createCachedScan({ scan, review, folder, rules });
}

/** Scans without the scan cache. */
export const scanTexts: TextScan = (texts, scope) => Promise.all(texts.map((text) => scanText(text, scope)));
