import type { LookupFunction } from 'node:net';

/** A DNS lookup that returns these addresses only, regardless of what the host name resolves to now. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  // Checks for a colon instead of using node:net, which would have to be loaded.
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const [first] = all;
  return (_host, { all: wantsAll }, callback) => {
    if (wantsAll) callback(null, all);
    else callback(null, first?.address ?? '', first?.family);
  };
}
