import { type Clock, errorMessage, type JsonObject } from '../../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelFault,
  type ChannelMessage,
  type GatewayStore,
  type HeldAccount,
  type Logger,
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

/** Sends what is in the outbox of an account, until the signal is aborted. `wake` makes it look immediately. */
export function startOutboxSender(options: OutboxSenderOptions): { wake(): void; done: Promise<void> } {
  const { store, held, clock, signal } = options;
  let waking = new AbortController();
  const sending = new Set<Promise<void>>();
  const failures: unknown[] = [];

  async function work(): Promise<void> {
    while (!signal.aborted) {
      // The message may have been sent, but that could not be stored. After the next connection it is sent again with a mark.
      if (failures.length > 0) throw failures[0];
      const next = waking.signal;
      const taken = await store.takeOutgoing(held, { now: clock.now(), limit: BATCH });
      for (const message of taken) {
        const task = sendOne(options, message)
          .catch((thrown: unknown) => void failures.push(thrown))
          .finally(() => sending.delete(task))
          .then(wake);
        sending.add(task);
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

  return { wake, done: work() };
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
  const priority = PRIORITIES[message.kind];
  const { chatId } = body.target;
  const send = async (content: ChannelMessage) =>
    scheduler.schedule({
      chatId,
      isGroup: body.isGroup,
      priority,
      run: () => channel.send(content, { key: message.id, mayHaveArrived: message.mayHaveArrived, signal }),
    });
  try {
    const content = await toChannelMessage(options, message, body);
    const sent = await send(content).catch((thrown: unknown) => sendPlain(thrown, content, send));
    const platformIds = sent === 'dropped' ? [] : [sent.id];
    return { state: 'sent', platformIds, at: clock.now() };
  } catch (thrown) {
    return describeFailure(thrown, message, clock.now());
  }
}

/** If the platform rejects the formatting, the text is sent without it. */
async function sendPlain<Value>(
  thrown: unknown,
  content: ChannelMessage,
  send: (content: ChannelMessage) => Promise<Value>,
): Promise<Value> {
  const isFormat = thrown instanceof ChannelError && thrown.fault === 'bad_format';
  if (!isFormat || content.content?.format === undefined) throw thrown;
  return send({ ...content, content: { text: content.content.text } });
}

const MARK = '(This message may have arrived already.)\n';

async function toChannelMessage(
  { channel: { facts }, readBlob }: OutboxSenderOptions,
  { mayHaveArrived }: OutgoingMessage,
  { file, isGroup: _, ...message }: OutgoingBody,
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
  return { state: 'retry', notBefore: now + wait, error, mayHaveArrived: fault === 'uncertain' };
}

/** The body of an outgoing message as it is stored. */
export function toBody(body: OutgoingBody): JsonObject {
  return body as unknown as JsonObject;
}
