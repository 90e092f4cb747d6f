import type { JsonObject } from '../../base/index.ts';
import { arrange, type DeliveryFaults } from '../platform-faults.ts';
import { BadRequest } from './bad-request.ts';

/** The updates that a bot has not confirmed, and the poll that waits for more. */
export type Updates = {
  add(update: JsonObject): number;
  readonly pending: number;
  setDelivery(faults: DeliveryFaults): void;
  /** Updates are sent to this address from now on. */
  setWebhook(webhook: Webhook | undefined): void;
  readonly webhook: Webhook | undefined;
  /** The first update that is not confirmed, as often as it is delivered. */
  first(): { id: number; copies: JsonObject[] } | undefined;
  confirmOne(id: number): void;
  /** Resolves when an update is added or the webhook changes. */
  changed(): Promise<void>;
  poll(parameters: JsonObject, gone: AbortSignal): Promise<JsonObject[]>;
};

export type Webhook = { url: string; secret: string | undefined; lastError: string | undefined };

const FIRST_ID = 500_000;

export function createUpdates(): Updates {
  let waiting: { id: number; update: JsonObject }[] = [];
  let lastId = FIRST_ID;
  let delivery: DeliveryFaults = {};
  let webhook: Webhook | undefined;
  let changed = Promise.withResolvers<void>();
  let current: { wake(): void; fail(error: Error): void } | undefined;

  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  const confirm = (isConfirmed: (id: number) => boolean) => {
    if ((delivery.lostAcknowledgements ?? 0) > 0) {
      delivery = { ...delivery, lostAcknowledgements: (delivery.lostAcknowledgements ?? 0) - 1 };
      return;
    }
    waiting = waiting.filter(({ id }) => !isConfirmed(id));
  };

  return {
    add(update) {
      lastId += 1;
      waiting.push({ id: lastId, update: { update_id: lastId, ...update } });
      current?.wake();
      announce();
      return lastId;
    },
    get pending() {
      return waiting.length;
    },
    setDelivery(faults) {
      delivery = faults;
    },
    setWebhook(next) {
      webhook = next;
      announce();
    },
    get webhook() {
      return webhook;
    },
    first: () => {
      const [first] = waiting;
      return first && { id: first.id, copies: arrange([first.update], delivery) };
    },
    confirmOne: (accepted) => confirm((id) => id === accepted),
    changed: () => changed.promise,
    async poll({ offset, timeout, limit }, gone) {
      if (webhook !== undefined) {
        const reason =
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        throw new BadRequest(reason, { status: 409 });
      }
      current?.fail(conflict());
      if (typeof offset === 'number' && offset > 0) confirm((id) => id < offset);
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
