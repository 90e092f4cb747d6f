import type { Finding, ScanScope } from './finding.ts';
import { createTextScan, type TextScan } from './known-texts.ts';

export type { Finding, ScanScope } from './finding.ts';
export { describeFindings } from './finding.ts';
export type { TextScan } from './known-texts.ts';

declare const HERMES_SCAN_RULES: string | undefined;

/** Looks for injection. Nothing found is an empty list. The rules are loaded at the first scan, never before. */
export async function scanText(text: string, scope: ScanScope): Promise<Finding[]> {
  const { findInjection } = await import('./find-injection.ts');
  return findInjection(text, scope);
}

/** The same for texts that come again in every session: those that were clean are known by then. */
export function scanKnownTexts(folder: string): TextScan {
  // Written in by the build, from the sources of the rules; without it they may be others at the next start.
  const rules = typeof HERMES_SCAN_RULES === 'string' ? HERMES_SCAN_RULES : undefined;
  return createTextScan({ scan: scanText, folder, rules });
}

/** Looks at everything anew. */
export const scanTexts: TextScan = (texts, scope) => Promise.all(texts.map((text) => scanText(text, scope)));
