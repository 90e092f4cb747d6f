import { type Clock, startTimer } from '../../../base/index.ts';
import type { ToolProgressMode } from '../../../config/gateway/index.ts';
import { type Channel, ChannelError, type ChatTarget, type MessageContent } from '../../../contracts/index.ts';
import { redactSecrets, settlesWithin, takeStart } from '../../../util/index.ts';
import { describeCall } from '../../text/describe-call.ts';
import { formatDuration } from '../../text/format-duration.ts';
import type { RateScheduler } from '../accounts/rate-scheduler.ts';

export type ToolProgressOptions = {
  channel: Channel;
  scheduler: RateScheduler;
  clock: Clock;
  target: ChatTarget;
  isGroup: boolean;
  mode: ToolProgressMode;
  previewLength: number;
  /** Identifies the turn. */
  id: string;
};

/** The tool calls of a turn, and how long it has been working, in one message that is edited. */
export interface ToolProgress {
  add(call: { name: string; arguments: string }): void;
  /** The last line of the message, until the turn ends. */
  setStatus(text: string): void;
  /** The next update waits for so long, for example because a text goes before it. */
  hold(milliseconds: number): void;
  /** Shows nothing more. */
  end(): Promise<void>;
  /** Removes the message; only after the end. */
  remove(): Promise<void>;
}

const EDIT_MS = 1500;
const END_MS = 5000;
/** Older calls are only counted. */
const MAX_LINES = 30;
const MAX_ARGUMENTS = 200;

export function createToolProgress(options: ToolProgressOptions): ToolProgress {
  const { channel, scheduler, clock, target, isGroup, id } = options;
  const lines = createLines(options);
  const stop = new AbortController();
  const calls = new AbortController();
  const now = () => clock.monotonic?.() ?? clock.now();
  let notBefore = now();
  let messageId: string | undefined;
  let isChanged = false;
  let isOff = false;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (isChanged && !isOff && !stop.signal.aborted) {
      const rest = notBefore - now();
      if (rest > 0) await clock.sleep(rest, stop.signal).catch(() => undefined);
      else await show();
    }
    working = undefined;
  }

  async function show(): Promise<void> {
    const content = lines.render(channel);
    isChanged = false;
    notBefore = now() + EDIT_MS;
    if (content === undefined) return;
    try {
      const call = { chatId: target.chatId, isGroup, priority: 'progress', subject: id, signal: stop.signal } as const;
      const outcome = await scheduler.schedule({ ...call, run: () => write(content) });
      if (outcome === 'dropped') isChanged = true;
    } catch (thrown) {
      isChanged = true;
      isOff = !(thrown instanceof ChannelError) || thrown.fault !== 'rate_limited';
    }
  }

  function update(): void {
    if (stop.signal.aborted) return;
    isChanged = true;
    working ??= Promise.resolve().then(work);
  }

  /** Changes or removes the message after the end. */
  async function tidy(content: MessageContent | undefined): Promise<void> {
    const shown = messageId;
    if (shown === undefined) return;
    const signal = AbortSignal.timeout(END_MS);
    const run = async () =>
      content === undefined ? channel.remove?.(target, shown, signal) : channel.edit(target, shown, content, signal);
    await scheduler.schedule({ chatId: target.chatId, isGroup, priority: 'progress', subject: id, signal, run });
  }

  async function write(content: MessageContent): Promise<void> {
    if (messageId !== undefined) return channel.edit(target, messageId, content, calls.signal);
    const sending = { key: `${id}/progress`, mayHaveArrived: false, signal: calls.signal };
    messageId = (await channel.send({ target, content }, sending)).id;
  }

  return {
    add(call) {
      if (lines.add(call)) update();
    },
    setStatus(text) {
      lines.setStatus(text);
      update();
    },
    hold(milliseconds) {
      notBefore = Math.max(notBefore, now() + milliseconds);
    },
    async end() {
      stop.abort();
      await settlesWithin(working ?? Promise.resolve(), END_MS);
      calls.abort();
      if (messageId !== undefined && lines.setStatus(undefined))
        void tidy(lines.render(channel)).catch(() => undefined);
    },
    remove: () => tidy(undefined),
  };
}

/** When the chat first shows that the turn is still working, and how often after that. */
const FIRST_STATUS_MS = 60_000;
const STATUS_MS = 120_000;

/** Shows how long a turn has been working, from the first minute on, until the signal is aborted. */
export async function showStatus(progress: Pick<ToolProgress, 'setStatus'>, clock: Clock, signal: AbortSignal) {
  const elapsed = startTimer(clock);
  for (let wait = FIRST_STATUS_MS; ; wait = STATUS_MS) {
    await clock.sleep(wait, signal).catch(() => undefined);
    if (signal.aborted) return;
    progress.setStatus(`⏳ still working (${formatDuration(elapsed() / 1000)})`);
  }
}

type Line = { text: string; count: number };

function createLines({ mode, previewLength }: Pick<ToolProgressOptions, 'mode' | 'previewLength'>) {
  let lines: Line[] = [];
  let omitted = 0;
  let lastName: string | undefined;
  let status: string | undefined;
  return {
    /** Returns whether it is another one. */
    setStatus(text: string | undefined): boolean {
      const isOther = text !== status;
      status = text;
      return isOther;
    },
    /** Returns whether there is something new to show. */
    add(call: { name: string; arguments: string }): boolean {
      if (mode === 'off' || (mode === 'new' && call.name === lastName)) return false;
      lastName = call.name;
      const text = describeLine(call, { mode, previewLength });
      const last = lines.at(-1);
      if (last?.text === text) last.count += 1;
      else lines.push({ text, count: 1 });
      omitted += Math.max(0, lines.length - MAX_LINES);
      lines = lines.slice(-MAX_LINES);
      return true;
    },
    /** As many of the newest lines as fit into one message. */
    render(channel: Pick<Channel, 'render'>): MessageContent | undefined {
      const after = status === undefined ? [] : [status];
      for (let from = 0; from < lines.length + after.length; from += 1) {
        const before = omitted + from === 0 ? [] : [`… ${omitted + from} earlier`];
        const shown = lines.slice(from).map(({ text, count }) => (count === 1 ? text : `${text} (×${count})`));
        // Two spaces at the end of a line break it.
        const [content, ...more] = channel.render([...before, ...shown, ...after].join('  \n'));
        if (more.length === 0) return content;
      }
      return undefined;
    },
  };
}

const ICONS = new Map([
  ['terminal', '💻'],
  ['process', '⚙️'],
  ['execute_code', '🐍'],
  ['read_file', '📖'],
  ['write_file', '✍️'],
  ['patch', '🔧'],
  ['search_files', '🔎'],
  ['web_search', '🔍'],
  ['web_extract', '📄'],
  ['vision_analyze', '👁️'],
  ['image_generate', '🎨'],
  ['text_to_speech', '🔊'],
  ['memory', '🧠'],
  ['session_search', '🗂️'],
  ['todo', '📋'],
  ['delegate_task', '🔀'],
  ['clarify', '❓'],
  ['send_message', '📨'],
]);

/** For example: 💻 terminal: `npm test`. */
function describeLine(
  { name, arguments: text }: { name: string; arguments: string },
  { mode, previewLength }: Pick<ToolProgressOptions, 'mode' | 'previewLength'>,
): string {
  const icon = ICONS.get(name) ?? (name.startsWith('browser') ? '🌐' : '⚡');
  const about = mode === 'verbose' ? text : describeCall(name, text);
  const line = redactSecrets(about).replace(/\s+/g, ' ').trim();
  const preview = shorten(line, mode === 'verbose' ? MAX_ARGUMENTS : previewLength);
  return `${icon} ${name.replace(/[^\w.-]/g, '_')}${preview === '' ? '' : `: ${inCode(preview)}`}`;
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${takeStart(text, limit)}…`;
}

/** Any text as inline code of Markdown. */
function inCode(text: string): string {
  const ticks = '`'.repeat(1 + Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)));
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}
