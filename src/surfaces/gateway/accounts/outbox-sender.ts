import { type Clock, errorMessage, type JsonObject } from '../../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelFault,
  type ChannelMessage,
  type Fill,
  type GatewayStore,
  type HeldAccount,
  type Logger,
  MAX_SEND_WAIT_MS,
  type MessageContent,
  type OutgoingKind,
  type OutgoingMessage,
  type SendOutcome,
} from '../../../contracts/index.ts';
import { backOffDelay } from '../../../util/index.ts';
import type { CallPriority, RateScheduler } from './rate-scheduler.ts';

/** The body of an outgoing message: one message of the platform. A file is the hash of a blob in the store. */
export type OutgoingBody = Omit<ChannelMessage, 'file'> & {
  isGroup: boolean;
  file?: { blob: string; name: string; mediaType: string; isVoice?: boolean; caption?: string };
  /**
   * The message that this one replaces: its id on the platform, or the id under which it is in the outbox. Without
   * content, the message is removed. If the message cannot be edited, the text is sent, unless it is optional.
   */
  replaces?: { platformId: string; isOptional?: boolean } | { outgoing: string; isOptional: true };
};

export type OutboxSenderOptions = {
  channel: Channel;
  store: GatewayStore;
  held: HeldAccount;
  scheduler: RateScheduler;
  clock: Clock;
  logger: Logger;
  /** The bytes of a file; undefined if its session was deleted. Absent if no files are sent. */
  readBlob?(hash: string): Promise<Uint8Array | undefined>;
  /** Called with the message ids of the platform, for example to edit the message later. */
  onSent?(message: OutgoingMessage, platformIds: readonly string[]): void;
  signal: AbortSignal;
};

const BATCH = 20;
/** The number of messages that are being sent at the same time. Each waits for the rate limits of its chat. */
const MAX_SENDING = 200;
/** How often the outbox is read without a reason: other processes may have added messages. */
const POLL_MS = 1000;
const BACK_OFF = { baseMs: 1000, maxMs: 300_000 };
/** After this many attempts, which takes about a day, a message is given up. */
const MAX_ATTEMPTS = 300;

const PRIORITIES: Readonly<Record<OutgoingKind, CallPriority>> = {
  control: 'control',
  final: 'final',
  question: 'question',
  notice: 'question',
};

export interface OutboxSender {
  /** Looks at the outbox immediately. */
  wake(): void;
  /** Resolves when nothing is left to send, or when the sender ends. */
  flush(): Promise<void>;
  fill(): Fill;
  done: Promise<void>;
}

/** Sends what is in the outbox of an account, until the signal is aborted. */
export function startOutboxSender(options: OutboxSenderOptions): OutboxSender {
  const { store, held, clock, signal } = options;
  let waking = new AbortController();
  const sending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let flushes: (() => void)[] = [];

  async function work(): Promise<void> {
    while (!signal.aborted) {
      // The message may have been sent, but that could not be stored. After the next connection it is sent again with a mark.
      if (failures.length > 0) throw failures[0];
      const next = waking.signal;
      const limit = Math.min(BATCH, MAX_SENDING - sending.size);
      const taken = limit > 0 ? await store.takeOutgoing(held, { now: clock.now(), limit }) : [];
      for (const message of taken) {
        const task = sendOne(options, message)
          .catch((thrown: unknown) => void failures.push(thrown))
          .finally(() => sending.delete(task))
          .then(wake);
        sending.add(task);
      }
      if (flushes.length > 0 && sending.size === 0 && !(await store.hasUnsent(held.account))) {
        for (const resolve of flushes) resolve();
        flushes = [];
      }
      // After a full batch there may be more for other chats.
      if (taken.length < BATCH) await clock.sleep(POLL_MS, AbortSignal.any([signal, next])).catch(() => undefined);
    }
    await Promise.allSettled(sending);
  }

  function wake(): void {
    const asleep = waking;
    waking = new AbortController();
    asleep.abort();
  }

  const done = work();
  return {
    wake,
    async flush() {
      const empty = new Promise<void>((resolve) => void flushes.push(resolve));
      wake();
      await Promise.race([empty, done.catch(() => undefined)]);
    },
    fill: () => ({ name: 'messages that are being sent', used: sending.size, limit: MAX_SENDING }),
    done,
  };
}

async function sendOne(options: OutboxSenderOptions, message: OutgoingMessage): Promise<void> {
  const { store, held, logger } = options;
  const outcome = await attempt(options, message);
  if (outcome.state === 'failed') logger.warn('could not send a message', { id: message.id, error: outcome.error });
  await store.settleOutgoing(held, message.id, outcome);
  if (outcome.state === 'sent') options.onSent?.(message, outcome.platformIds);
}

async function attempt(options: OutboxSenderOptions, message: OutgoingMessage): Promise<SendOutcome> {
  const { channel, scheduler, clock, signal } = options;
  const body = message.body as unknown as OutgoingBody;
  const call = <Value>(run: () => Promise<Value>): Promise<Value> =>
    scheduler.schedule({
      chatId: body.target.chatId,
      isGroup: body.isGroup,
      priority: PRIORITIES[message.kind],
      run,
      // Only replaceable calls are dropped.
    }) as Promise<Value>;
  const send = (content: ChannelMessage) =>
    call(() => channel.send(content, { key: message.id, mayHaveArrived: message.mayHaveArrived, signal }));
  try {
    const replaced = await replace(options, body, call);
    if (replaced !== undefined) return replaced;
    const content = await toChannelMessage(options, message, body);
    const sent = await send(content).catch((thrown: unknown) => sendPlain(thrown, content, send));
    return { state: 'sent', platformIds: [sent.id], at: clock.now() };
  } catch (thrown) {
    return describeFailure(thrown, message, clock.now());
  }
}

type Scheduled = <Value>(run: () => Promise<Value>) => Promise<Value>;

/**
 * Edits or removes the replaced message. Returns undefined if there is none, or if that is not possible and the text
 * must be sent: a text that was streamed may have been deleted by a user, but it has to arrive.
 */
async function replace(
  { channel, store, clock, signal }: OutboxSenderOptions,
  { target, content, replaces }: Pick<OutgoingBody, 'target' | 'content' | 'replaces'>,
  call: Scheduled,
): Promise<SendOutcome | undefined> {
  if (replaces === undefined) return undefined;
  const id = 'platformId' in replaces ? replaces.platformId : (await store.findPlatformIds(replaces.outgoing))?.at(-1);
  if (id === undefined) return { state: 'expired', error: 'the message to replace was not sent' };
  const edit = (wanted: MessageContent) => call(() => channel.edit(target, id, wanted, signal));
  try {
    if (content === undefined) await call(async () => channel.remove?.(target, id, signal));
    else
      await edit(content).catch((thrown: unknown) => {
        if (!isBadFormat(thrown)) throw thrown;
        return edit({ text: content.text });
      });
  } catch (thrown) {
    if (!(thrown instanceof ChannelError) || !LASTING.includes(thrown.fault)) throw thrown;
    if (replaces.isOptional === true || content === undefined) return { state: 'expired', error: errorMessage(thrown) };
    return undefined;
  }
  return { state: 'sent', platformIds: content === undefined ? [] : [id], at: clock.now() };
}

function isBadFormat(thrown: unknown): boolean {
  return thrown instanceof ChannelError && thrown.fault === 'bad_format';
}

/** If the platform rejects the formatting, the text is sent without it. */
async function sendPlain<Value>(
  thrown: unknown,
  content: ChannelMessage,
  send: (content: ChannelMessage) => Promise<Value>,
): Promise<Value> {
  if (!isBadFormat(thrown) || content.content?.format === undefined) throw thrown;
  return send({ ...content, content: { text: content.content.text } });
}

const MARK = '(This message may have arrived already.)\n';

async function toChannelMessage(
  { channel: { facts }, readBlob }: OutboxSenderOptions,
  { mayHaveArrived }: OutgoingMessage,
  { file, isGroup: _, replaces: _replaces, ...message }: OutgoingBody,
): Promise<ChannelMessage> {
  const { content } = message;
  const marked =
    mayHaveArrived &&
    facts.repeats === 'none' &&
    content !== undefined &&
    MARK.length + content.text.length <= facts.maxText
      ? { ...message, content: { text: MARK + content.text } }
      : message;
  if (file === undefined) return marked;
  const { blob, ...described } = file;
  const bytes = await readBlob?.(blob);
  if (bytes === undefined) throw new ChannelError('rejected', `The file ${file.name} no longer exists.`);
  const caption = mayHaveArrived && facts.repeats === 'none' ? { caption: MARK.trim() } : {};
  return { ...marked, file: { ...described, ...caption, bytes } };
}

/** Faults after which a message is not sent again. */
const LASTING: readonly ChannelFault[] = ['too_long', 'bad_format', 'forbidden', 'not_found', 'rejected'];

function describeFailure(thrown: unknown, { attempts }: OutgoingMessage, now: number): SendOutcome {
  const error = errorMessage(thrown);
  const fault = thrown instanceof ChannelError ? thrown.fault : undefined;
  if ((fault !== undefined && LASTING.includes(fault)) || attempts >= MAX_ATTEMPTS) return { state: 'failed', error };
  const wait = (thrown instanceof ChannelError ? thrown.retryAfterMs : undefined) ?? backOffDelay(attempts, BACK_OFF);
  const notBefore = now + Math.min(wait, MAX_SEND_WAIT_MS);
  return { state: 'retry', notBefore, error, mayHaveArrived: fault === 'uncertain' };
}

/** The body of an outgoing message as it is stored. */
export function toBody(body: OutgoingBody): JsonObject {
  return body as unknown as JsonObject;
}
