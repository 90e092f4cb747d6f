import type { ChannelFault } from '../../contracts/index.ts';

/** The fault of an HTTP status. `isRepeatable`: doing it twice is the same as doing it once. */
export function faultOfStatus(status: number, isRepeatable: boolean): ChannelFault {
  if (status === 401) return 'fatal';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 413) return 'too_long';
  if (status === 429) return 'rate_limited';
  // A proxy that got no answer does not know what the upstream server did.
  if (status === 504) return isRepeatable ? 'transient' : 'uncertain';
  return status >= 500 ? 'transient' : 'rejected';
}
