import type { Clock } from '../../../base/index.ts';
import type { StreamingSettings } from '../../../config/gateway/index.ts';
import { ChannelError, type Channel, type ChatTarget } from '../../../contracts/index.ts';
import { settlesWithin } from '../../../util/index.ts';
import type { RateScheduler } from '../accounts/rate-scheduler.ts';

export type StreamedTextOptions = {
  channel: Channel;
  scheduler: RateScheduler;
  clock: Clock;
  target: ChatTarget;
  isGroup: boolean;
  settings: StreamingSettings;
  /** Identifies the text among all that are shown in the chat. */
  id: string;
  /** The user who is answered. */
  recipientId?: string | undefined;
  /** Called with the ids of all messages that show the text, when there is a new one. */
  onSent?(ids: readonly string[]): Promise<void>;
};

/** A text that is shown while it is written. The complete text replaces it later, through the outbox. */
export interface StreamedText {
  /** Shows the text as it is now. Updates in quick succession are merged. */
  update(markdown: string): void;
  /** Shows nothing more, and returns the ids of the messages that show the text. */
  end(): Promise<readonly string[]>;
  /** Shows nothing more, and leaves what is shown as it is, but without the cursor. */
  abandon(): Promise<void>;
}

/** After this many rate limits, the text is no longer shown before it is complete. */
const MAX_FLOODS = 3;
const MAX_INTERVAL_MS = 10_000;
/** How long the end of a text waits for a call that is running. */
const END_MS = 5000;

export function createStreamedText(options: StreamedTextOptions): StreamedText {
  const { clock, settings } = options;
  const stop = new AbortController();
  const calls = new AbortController();
  const display = createDisplay(options, { stop: stop.signal, calls: calls.signal });
  const now = () => clock.monotonic?.() ?? clock.now();
  let wanted = '';
  let shown = '';
  let shownAt: number | undefined;
  let interval = settings.editIntervalMs;
  let floods = 0;
  let isOff = false;
  let working: Promise<void> | undefined;
  let waiting: AbortController | undefined;

  const isDue = () => floods === 0 && wanted.length - shown.length >= settings.bufferThreshold;

  async function work(): Promise<void> {
    while (!stop.signal.aborted && !isOff && wanted !== shown) {
      const rest = (shownAt ??= now()) + interval - now();
      if (rest > 0 && !isDue()) {
        waiting = new AbortController();
        await clock.sleep(rest, AbortSignal.any([stop.signal, waiting.signal])).catch(() => undefined);
        continue;
      }
      const text = wanted;
      if (await show(text)) shown = text;
      shownAt = now();
    }
    working = undefined;
  }

  /** Returns false if the text was not shown completely and is worth another attempt. */
  async function show(text: string): Promise<boolean> {
    try {
      return await display.show(text, settings.cursor);
    } catch (thrown) {
      const isFlood = thrown instanceof ChannelError && thrown.fault === 'rate_limited';
      if (isFlood) {
        floods += 1;
        interval = Math.min(interval * 2, MAX_INTERVAL_MS);
      }
      // What may have arrived is not shown a second time.
      const isUncertain = thrown instanceof ChannelError && thrown.fault === 'uncertain';
      isOff = isFlood ? floods >= MAX_FLOODS : isUncertain || !display.useEdits();
      return false;
    }
  }

  async function end(): Promise<readonly string[]> {
    stop.abort();
    await settlesWithin(working ?? Promise.resolve(), END_MS);
    calls.abort();
    return display.ids();
  }

  return {
    update(markdown) {
      wanted = markdown;
      if (isDue()) waiting?.abort();
      if (!isOff && !stop.signal.aborted) working ??= Promise.resolve().then(work);
    },
    end,
    async abandon() {
      await end();
      // The next turn does not wait for this.
      void display.finish(shown, settings.cursor);
    },
  };
}

type Signals = {
  /** Aborted when the text must not be shown any more. */
  stop: AbortSignal;
  /** Aborts calls that are running. */
  calls: AbortSignal;
};

type Sent = { id: string; shown: string };

/** The draft, the stream or the messages that show a text. */
function createDisplay(options: StreamedTextOptions, { stop, calls }: Signals) {
  const { channel, scheduler, target, isGroup, id } = options;
  const sent: Sent[] = [];
  let way = wayOf(options);
  let streamed = '';
  const schedule = <Value>(run: () => Promise<Value>, signal = stop) =>
    scheduler.schedule({ chatId: target.chatId, isGroup, priority: 'edit', subject: id, signal, run });

  async function keep(index: number, message: Sent): Promise<void> {
    const isNew = sent[index] === undefined;
    sent[index] = message;
    if (isNew) await options.onSent?.(sent.map((each) => each.id));
  }

  /** A draft has room for one message, so it shows the newest part. */
  async function showDraft(text: string): Promise<boolean> {
    const content = channel.render(text).at(-1);
    if (content === undefined) return true;
    return (await schedule(async () => channel.showDraft?.(target, { id, content }, calls))) !== 'dropped';
  }

  /** A stream is one message that only grows. Any other text is shown by edits of it. */
  async function showStream(text: string): Promise<boolean> {
    if (!text.startsWith(streamed) || channel.render(text).length > 1) {
      way = 'messages';
      return showMessages(text);
    }
    const grown = { streamed: sent[0], markdown: text.slice(streamed.length) };
    const outcome = await schedule(() => growStream(options, grown, calls));
    if (outcome === 'dropped') return false;
    streamed = text;
    await keep(0, { id: outcome.id, shown: '' });
    return true;
  }

  async function showMessages(text: string): Promise<boolean> {
    for (const [index, content] of channel.render(text).entries()) {
      const known = sent[index];
      const shown = JSON.stringify(content);
      if (known?.shown === shown) continue;
      const send = { key: `${id}/${index}`, mayHaveArrived: false, signal: calls };
      const outcome = await schedule(async () => {
        if (known === undefined) return channel.send({ target, content }, send);
        await channel.edit(target, known.id, content, calls);
        return { id: known.id };
      });
      if (outcome === 'dropped') return false;
      await keep(index, { id: outcome.id, shown });
    }
    return true;
  }

  return {
    show(text: string, cursor: string): Promise<boolean> {
      if (way === 'draft') return showDraft(text);
      return way === 'stream' ? showStream(text) : showMessages(text + cursor);
    },
    /** Returns false if there is nothing to change to. */
    useEdits(): boolean {
      const didChange = way !== 'messages';
      way = 'messages';
      return didChange;
    },
    ids: () => sent.map((message) => message.id),
    /** Shows a text without the cursor, or ends its stream. A failure leaves it as it is. */
    async finish(text: string, cursor: string): Promise<void> {
      const last = sent.at(-1);
      const content = cursor === '' ? undefined : channel.render(text)[sent.length - 1];
      if (last === undefined) return;
      const limit = AbortSignal.timeout(END_MS);
      const run = async () => {
        if (way === 'stream') await channel.streams?.stop(target, last.id, limit);
        else if (content !== undefined) await channel.edit(target, last.id, content, limit);
      };
      await schedule(run, limit).catch(() => undefined);
    },
  };
}

type Grown = { streamed: Sent | undefined; markdown: string };

async function growStream(
  { channel: { streams }, target, recipientId }: StreamedTextOptions,
  { streamed, markdown }: Grown,
  signal: AbortSignal,
): Promise<{ id: string }> {
  if (streams === undefined) throw new ChannelError('rejected', 'The platform has no streams.');
  if (streamed === undefined) return streams.start(target, { markdown, recipientId }, signal);
  await streams.append(target, streamed.id, markdown, signal);
  return streamed;
}

function wayOf({ channel, target, isGroup, settings }: StreamedTextOptions): 'draft' | 'stream' | 'messages' {
  const { streaming } = channel.facts;
  if (settings.transport === 'edit') return 'messages';
  if (streaming === 'draft' && channel.showDraft !== undefined && !isGroup) return 'draft';
  return streaming === 'stream' && channel.streams !== undefined && target.threadId !== undefined
    ? 'stream'
    : 'messages';
}
