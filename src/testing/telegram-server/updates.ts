import type { JsonObject } from '../../base/index.ts';
import { arrange, type DeliveryFaults } from '../platform-faults.ts';
import { BadRequest } from './bad-request.ts';

/** The updates that a bot has not confirmed, and the poll that waits for more. */
export type Updates = {
  add(update: JsonObject): number;
  readonly pending: number;
  /** The highest offset of a poll so far: all updates before it are confirmed. */
  readonly confirmed: number;
  setDelivery(faults: DeliveryFaults): void;
  setWebhook(isSet: boolean): void;
  readonly hasWebhook: boolean;
  poll(parameters: JsonObject, gone: AbortSignal): Promise<JsonObject[]>;
};

const FIRST_ID = 500_000;

export function createUpdates(): Updates {
  let waiting: { id: number; update: JsonObject }[] = [];
  let lastId = FIRST_ID;
  let confirmed = 0;
  let delivery: DeliveryFaults = {};
  let hasWebhook = false;
  let current: { wake(): void; fail(error: Error): void } | undefined;

  const confirm = (offset: number) => {
    if ((delivery.lostAcknowledgements ?? 0) > 0) {
      delivery = { ...delivery, lostAcknowledgements: (delivery.lostAcknowledgements ?? 0) - 1 };
      return;
    }
    confirmed = Math.max(confirmed, offset);
    waiting = waiting.filter(({ id }) => id >= offset);
  };

  return {
    add(update) {
      lastId += 1;
      waiting.push({ id: lastId, update: { update_id: lastId, ...update } });
      current?.wake();
      return lastId;
    },
    get pending() {
      return waiting.length;
    },
    get confirmed() {
      return confirmed;
    },
    setDelivery(faults) {
      delivery = faults;
    },
    setWebhook(isSet) {
      hasWebhook = isSet;
    },
    get hasWebhook() {
      return hasWebhook;
    },
    async poll({ offset, timeout, limit }, gone) {
      if (hasWebhook) {
        const reason =
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        throw new BadRequest(reason, { status: 409 });
      }
      current?.fail(conflict());
      if (typeof offset === 'number' && offset > 0) confirm(offset);
      if (waiting.length === 0 && typeof timeout === 'number' && timeout > 0) {
        const own = Promise.withResolvers<void>();
        const poll = { wake: () => own.resolve(), fail: (error: Error) => own.reject(error) };
        current = poll;
        const timer = setTimeout(own.resolve, timeout * 1000);
        gone.addEventListener('abort', poll.wake, { once: true });
        try {
          await own.promise;
        } finally {
          clearTimeout(timer);
          gone.removeEventListener('abort', poll.wake);
          if (current === poll) current = undefined;
        }
      }
      const count = typeof limit === 'number' && limit >= 1 ? Math.min(limit, 100) : 100;
      return arrange(
        waiting.slice(0, count).map(({ update }) => update),
        delivery,
      );
    },
  };
}

function conflict(): BadRequest {
  const reason = 'terminated by other getUpdates request; make sure that only one bot instance is running';
  return new BadRequest(reason, { status: 409 });
}
