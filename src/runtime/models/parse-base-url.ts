import { normaliseUrl, findUrlProblem } from '../../config/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import { isLocalEndpoint } from '../../providers/index.ts';

export type ParsedBaseUrl = { baseUrl: string; apiMode?: ApiMode; warning?: string };

/**
 * Parses a base URL that the user typed. Surrounding spaces are removed. A missing scheme is accepted for local
 * addresses only, so that a key is never sent over plain http to another host by mistake.
 */
export function parseBaseUrl(typed: string): ParsedBaseUrl | { problem: string; hint: string } {
  const text = typed.trim();
  const local = `http://${text}`;
  const isShort = !text.includes('://') && findUrlProblem(local) === undefined && isLocalEndpoint(local);
  const complete = isShort ? local : text;
  const fault = findUrlProblem(complete);
  if (fault !== undefined) return { problem: fault.expected, hint: fault.hint };
  const { baseUrl, removed, apiMode } = normaliseUrl(complete);
  if (removed === undefined) return { baseUrl };
  const warning = `${removed} was removed from the end of the base URL; using ${baseUrl}.`;
  return { baseUrl, apiMode, warning };
}
