import type { ServerResponse } from 'node:http';

/**
 * What goes wrong with one call to a fake platform. `reset`, `status` and `rate_limit` happen before the call has an
 * effect; after all others, the platform has done what was asked.
 */
export type PlatformFault =
  /** The connection is reset. */
  | { type: 'reset' }
  | { type: 'status'; status: number; message?: string }
  /** HTTP 429. */
  | { type: 'rate_limit'; retryAfter: number }
  /** An error, although the platform did what was asked. */
  | { type: 'accepted'; status: number }
  /** The connection is reset before the response. */
  | { type: 'lost' }
  /** The connection is reset in the middle of the response. */
  | { type: 'cut' }
  /** The connection stays open without data. `accepted`: whether the call has its effect. */
  | { type: 'silence'; accepted?: boolean }
  /** One byte of the response at a time. */
  | { type: 'drip'; everyMs: number }
  /** A response that is not valid JSON. */
  | { type: 'malformed' };

/** How events are delivered to a client. */
export type DeliveryFaults = {
  /** How often each event is contained in a delivery. Default: 1. */
  copies?: number;
  /** The order of a delivery. Default: as the events happened. */
  order?: 'normal' | 'reversed' | 'shuffled';
  /** The number of acknowledgements that get lost from now on: the platform delivers the same events again. */
  lostAcknowledgements?: number;
  /** For `shuffled`; a number from 0 to 1, as of `Math.random`. */
  random?(): number;
};

/** The events of a delivery with its copies, in its order. */
export function arrange<Event>(
  events: readonly Event[],
  { copies = 1, order = 'normal', random = Math.random }: DeliveryFaults,
): Event[] {
  const all = Array.from({ length: copies }, () => events).flat();
  if (order === 'reversed') return all.reverse();
  if (order === 'normal') return all;
  const keyed = all.map((event) => ({ event, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ event }) => event);
}

/** Whether the platform does what was asked, in spite of the fault. */
export function hasEffect(fault: PlatformFault | undefined): boolean {
  if (fault?.type === 'silence') return fault.accepted ?? false;
  return fault === undefined || !['reset', 'status', 'rate_limit'].includes(fault.type);
}

/** Sends a response with its fault. */
export function sendWithFault(
  response: ServerResponse,
  reply: { status: number; body: Buffer; headers: Record<string, string> },
  fault: PlatformFault | undefined,
): void {
  switch (fault?.type) {
    case 'reset':
    case 'lost':
      response.socket?.resetAndDestroy();
      return;
    case 'silence':
      return;
    case 'cut':
      response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
      response.write(reply.body.subarray(0, reply.body.length >> 1), () => response.socket?.resetAndDestroy());
      return;
    case 'drip':
      response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
      drip(response, reply.body, fault.everyMs);
      return;
    case 'malformed':
      response.writeHead(reply.status, reply.headers).end(reply.body.subarray(0, reply.body.length >> 1));
      return;
    default:
      response.writeHead(reply.status, reply.headers).end(reply.body);
  }
}

function drip(response: ServerResponse, body: Buffer, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + 1));
    sent += 1;
    if (sent < body.length) return;
    clearInterval(timer);
    response.end();
  }, everyMs);
  timer.unref();
  response.once('close', () => clearInterval(timer));
}

/** Decides which call gets which fault. */
export type FaultPlan<Call> = {
  failNext(applies: (call: Call) => boolean, fault: PlatformFault, times: number): void;
  setFaults(choose: (call: Call) => PlatformFault | undefined): void;
  faultFor(call: Call): PlatformFault | undefined;
};

export function createFaultPlan<Call>(): FaultPlan<Call> {
  const planned: { applies: (call: Call) => boolean; fault: PlatformFault; left: number }[] = [];
  let choose: (call: Call) => PlatformFault | undefined = () => undefined;
  return {
    failNext(applies, fault, times) {
      planned.push({ applies, fault, left: times });
    },
    setFaults(chosen) {
      choose = chosen;
    },
    faultFor(call) {
      const next = planned.find(({ applies, left }) => left > 0 && applies(call));
      if (next === undefined) return choose(call);
      next.left -= 1;
      return next.fault;
    },
  };
}
