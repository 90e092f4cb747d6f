import { isIPv6 } from 'node:net';
import type { Clock } from '../base/index.ts';
import { plainAddress } from './origin-check.ts';

/** At most `count` requests in `perMs`. */
export type RequestRate = { count: number; perMs: number };

/** Limits requests per client, in bounded memory. */
export interface RateLimits {
  /** The milliseconds until the next request is allowed; 0 if it is allowed now. */
  waitFor(client: string): number;
  count(client: string): void;
}

const MAX_CLIENTS = 10_000;

/** `count` requests are allowed together, and then one each time the share of the period has passed. */
export function createRateLimits({ count, perMs }: RequestRate, clock: Clock): RateLimits {
  const interval = perMs / count;
  /** When all requests are allowed again, by client. */
  const fullAt = new Map<string, number>();
  return {
    waitFor: (client) => Math.max(0, (fullAt.get(client) ?? 0) - (perMs - interval) - clock.now()),
    count(client) {
      if (fullAt.size >= MAX_CLIENTS && !fullAt.has(client)) makeRoom(fullAt, clock.now());
      fullAt.set(client, Math.max(fullAt.get(client) ?? 0, clock.now()) + interval);
    },
  };
}

/** Forgets clients without recent requests, or the one that was seen first. */
function makeRoom(fullAt: Map<string, number>, now: number): void {
  for (const [client, time] of fullAt) if (time <= now) fullAt.delete(client);
  const [first] = fullAt.keys();
  if (fullAt.size >= MAX_CLIENTS && first !== undefined) fullAt.delete(first);
}

/** The client of an address: one machine usually has a whole /64 network of IPv6 addresses. */
export function clientOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('%', 1)[0]?.split('::') ?? [];
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [start, end] = [groups(head), groups(tail)];
  const filled = [...start, ...Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0'), ...end];
  return `${filled.slice(0, 4).join(':')}::/64`;
}
