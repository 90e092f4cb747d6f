import type { Clock } from '../../base/index.ts';
import type { ClaimedChat, Fill, GatewayStore, Logger } from '../../contracts/index.ts';
import type { ChatWorker } from './chats/chat-worker.ts';

export type CoordinatorOptions = {
  store: Pick<GatewayStore, 'claimChats' | 'renewClaim' | 'releaseClaim'>;
  clock: Clock;
  logger: Logger;
  /** Says who works on a chat, for people. */
  owner: string;
  /** How many chats are worked on at the same time. */
  maxChats: number;
  /** With `onlyCommands`, the worker starts no turn, and handles the commands that never wait. */
  startWorker(chat: ClaimedChat, options: { onlyCommands: boolean }): ChatWorker;
};

/** Claims chats with waiting messages and lets workers run their turns. */
export interface Coordinator {
  /** Looks for waiting messages now. */
  wake(): void;
  /** The number of chats that are being worked on. */
  readonly working: number;
  fill(): Fill;
  /**
   * Starts nothing more, waits for the running turns, at most for this time, and then interrupts them; their messages
   * stay in the inbox.
   */
  close(drainMs: number, interruptTurns: () => Promise<void>): Promise<void>;
}

const CLAIM_MS = 15_000;
/** How often the inbox is read without a reason: another process may have stored messages. */
const POLL_MS = 1000;
/** While all places are taken by turns, the commands of so many other chats are handled at the same time. */
const MAX_COMMAND_CHATS = 8;
/** How long the coordinator waits after the store failed. */
const FAILURE_MS = 5000;

export function startCoordinator(options: CoordinatorOptions): Coordinator {
  const { store, clock, logger, owner, maxChats } = options;
  const workers = new Map<string, ChatWorker>();
  /** Chats that are claimed for their commands only. */
  const commands = new Set<string>();
  const requests = new Set<string>();
  // Programs can send many requests in a second; users must not have to wait for all of them.
  const maxRequests = Math.max(1, Math.floor(maxChats / 2));
  const claim = (what: Claiming) =>
    what.limit > 0 ? store.claimChats({ owner, ttlMs: CLAIM_MS, ...what }) : Promise.resolve([]);
  const closing = new AbortController();
  let waking = new AbortController();

  function start(chat: ClaimedChat, onlyCommands = false): void {
    const worker = options.startWorker(chat, { onlyCommands });
    workers.set(chat.key, worker);
    if (onlyCommands) commands.add(chat.key);
    if (chat.conversation.account.startsWith('webhook:')) requests.add(chat.key);
    void follow(chat, worker);
  }

  async function follow(chat: ClaimedChat, worker: ChatWorker): Promise<void> {
    const renewing = new AbortController();
    void keepClaim(options, { chat, worker, signal: renewing.signal });
    const how = await worker.done;
    // A chat that fails repeatedly must not keep others waiting.
    if (how === 'failed') await clock.sleep(FAILURE_MS, closing.signal).catch(() => undefined);
    renewing.abort();
    if (how === 'failed') await releaseClaim(options, chat);
    workers.delete(chat.key);
    requests.delete(chat.key);
    // Its other messages wait for a place, so nothing has changed for them.
    if (!commands.delete(chat.key)) wake();
  }

  async function work(): Promise<void> {
    while (!closing.signal.aborted) {
      const next = waking.signal;
      // Workers look at their own chats, which this process cannot claim again.
      for (const worker of workers.values()) worker.wake();
      const limit = maxChats - (workers.size - commands.size);
      try {
        const requestLimit = Math.max(0, maxRequests - requests.size);
        for (const chat of await claim({ limit, requestLimit })) start(chat);
        const isFull = workers.size - commands.size >= maxChats;
        const commandLimit = isFull ? MAX_COMMAND_CHATS - commands.size : 0;
        for (const chat of await claim({ limit: commandLimit, onlyCommands: true })) start(chat, true);
        await clock.sleep(POLL_MS, AbortSignal.any([closing.signal, next])).catch(() => undefined);
      } catch (thrown) {
        logger.error('could not read the inbox', {}, thrown);
        await clock.sleep(FAILURE_MS, closing.signal).catch(() => undefined);
      }
    }
  }

  function wake(): void {
    const asleep = waking;
    waking = new AbortController();
    asleep.abort();
    // Questions of running turns are answered while the gateway closes, too.
    if (closing.signal.aborted) for (const worker of workers.values()) worker.wake();
  }

  const working = work();
  return {
    wake,
    get working() {
      return workers.size;
    },
    fill: () => ({ name: 'chats that are being worked on', used: workers.size - commands.size, limit: maxChats }),
    async close(drainMs, interruptTurns) {
      closing.abort();
      await working;
      await endWorkers([...workers.values()], { clock, drainMs, interruptTurns });
    },
  };
}

type Ending = { clock: Clock; drainMs: number; interruptTurns(): Promise<void> };

async function endWorkers(left: readonly ChatWorker[], { clock, drainMs, interruptTurns }: Ending): Promise<void> {
  for (const worker of left) worker.drain();
  const over = new AbortController();
  const ended = Promise.all(left.map(({ done }) => done)).then(() => over.abort());
  await Promise.race([ended, clock.sleep(drainMs, over.signal).catch(() => undefined)]);
  for (const worker of left) worker.stop();
  await interruptTurns();
  await Promise.all(left.map(({ done }) => done));
}

type Claiming = Omit<Parameters<GatewayStore['claimChats']>[0], 'owner' | 'ttlMs'>;
type Claimed = { chat: ClaimedChat; worker: ChatWorker; signal: AbortSignal };

/** Without a renewal, another process takes the chat over; the worker then notices that its claim is lost. */
async function keepClaim(
  { store, clock, logger }: CoordinatorOptions,
  { chat, worker, signal }: Claimed,
): Promise<void> {
  for (;;) {
    await clock.sleep(CLAIM_MS / 3, signal).catch(() => undefined);
    if (signal.aborted) return;
    const isKept = await store.renewClaim(chat, CLAIM_MS).catch((thrown: unknown) => {
      logger.warn('could not renew the claim of a chat', { key: chat.key, error: String(thrown) });
      return true;
    });
    if (!isKept) return worker.wake();
  }
}

async function releaseClaim({ store, logger }: CoordinatorOptions, chat: ClaimedChat): Promise<void> {
  await store.releaseClaim(chat).catch((thrown: unknown) => {
    logger.warn('could not release a chat', { key: chat.key, error: String(thrown) });
  });
}
