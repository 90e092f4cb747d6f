import { cleanAddress, findAddressFault } from '../../config/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import { isLocalEndpoint } from '../../providers/index.ts';

export type ReadAddress = { baseUrl: string; apiMode?: ApiMode; warning?: string };

/**
 * An address as a person types it. Blanks around it come with copying. Without a scheme it is taken where only one can
 * be meant, which is so for servers of one's own; a key must not go over http to anyone else by mistake.
 */
export function readTypedAddress(typed: string): ReadAddress | { problem: string; hint: string } {
  const text = typed.trim();
  const local = `http://${text}`;
  const isShort = !text.includes('://') && findAddressFault(local) === undefined && isLocalEndpoint(local);
  const complete = isShort ? local : text;
  const fault = findAddressFault(complete);
  if (fault !== undefined) return { problem: fault.wanted, hint: fault.hint };
  const { baseUrl, removed, apiMode } = cleanAddress(complete);
  if (removed === undefined) return { baseUrl };
  const warning = `The address ended with ${removed}, which was taken off: ${baseUrl} is used.`;
  return { baseUrl, apiMode, warning };
}
