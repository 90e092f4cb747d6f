import type { WebSocket } from 'ws';
import type { JsonObject } from '../../base/index.ts';
import { arrange, type DeliveryFaults } from '../platform-faults.ts';

export type DeliveryType = 'events_api' | 'interactive' | 'slash_commands';

/** Something that Slack delivers to the app until it is acknowledged. */
type Delivery = {
  type: DeliveryType;
  payload: JsonObject;
  attempts: number;
  /** The connection that has it at the moment. */
  sentOn: WebSocket | undefined;
  retry: NodeJS.Timeout | undefined;
};

/** How long the app may take to acknowledge something, as Slack has it. */
const RETRY_MS = 3000;
const MAX_RETRIES = 3;

/** What the app has not acknowledged yet. `usable`: the connections that work. */
export function createDeliveries(usable: () => WebSocket[]) {
  const waiting = new Set<Delivery>();
  const byEnvelope = new Map<string, Delivery>();
  let faults: DeliveryFaults = {};
  let last = 0;
  let isWoken = false;

  /** Delivers everything that no working connection has, in one go. */
  function flush(): void {
    isWoken = false;
    const connections = usable();
    const connection = connections[last % connections.length];
    if (connection === undefined) return;
    const due = [...waiting].filter(({ sentOn }) => sentOn === undefined || !connections.includes(sentOn));
    for (const delivery of due) {
      delivery.sentOn = connection;
      clearTimeout(delivery.retry);
      delivery.retry = setTimeout(() => repeat(delivery), RETRY_MS).unref();
    }
    for (const delivery of arrange(due, faults)) send(connection, delivery);
  }

  function repeat(delivery: Delivery): void {
    delivery.attempts += 1;
    delivery.sentOn = undefined;
    if (delivery.attempts <= MAX_RETRIES) wake();
  }

  function send(connection: WebSocket, delivery: Delivery): void {
    last += 1;
    const envelope_id = `envelope-${last}`;
    byEnvelope.set(envelope_id, delivery);
    const { type, payload, attempts } = delivery;
    const retry = attempts === 0 ? {} : { retry_attempt: attempts, retry_reason: 'timeout' };
    connection.send(JSON.stringify({ envelope_id, type, payload, accepts_response_payload: false, ...retry }));
  }

  /** Deliveries of the same moment are sent together. */
  function wake(): void {
    if (!isWoken) setImmediate(flush);
    isWoken = true;
  }

  return {
    wake,
    get pending() {
      return waiting.size;
    },
    push(type: DeliveryType, payload: JsonObject): void {
      waiting.add({ type, payload, attempts: 0, sentOn: undefined, retry: undefined });
      wake();
    },
    setFaults(chosen: DeliveryFaults): void {
      faults = chosen;
    },
    /** Returns false for an envelope that was never sent. */
    acknowledge(id: string): boolean {
      const delivery = byEnvelope.get(id);
      if (delivery === undefined) return false;
      const lost = faults.lostAcknowledgements ?? 0;
      if (lost > 0) faults = { ...faults, lostAcknowledgements: lost - 1 };
      else {
        waiting.delete(delivery);
        clearTimeout(delivery.retry);
      }
      return true;
    },
    close(): void {
      for (const { retry } of waiting) clearTimeout(retry);
    },
  };
}
