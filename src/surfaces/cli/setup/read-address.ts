import { cleanAddress, findAddressFault } from '../../../config/index.ts';
import { isLocalEndpoint } from '../../../providers/index.ts';

export type ReadAddress = { baseUrl: string; warning?: string };

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
  const { baseUrl, removed } = cleanAddress(complete);
  if (removed === undefined) return { baseUrl };
  return { baseUrl, warning: `The address ended with ${removed}, which was taken off: ${baseUrl} was saved.` };
}
