import { type AgentEvent, type Clock, errorMessage, type RunResult, startTimer } from '../../../base/index.ts';
import type { ChatDisplay } from '../../../config/gateway/index.ts';
import type { ChatTarget, ClaimedChat, GatewayStore, Logger } from '../../../contracts/index.ts';
import type { ConversationTurn } from '../../../conversations/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { formatDuration } from '../../text/format-duration.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import { askInChat, closeInChat, type QuestionParts } from './chat-questions.ts';
import { toOutgoing } from './outgoing-text.ts';
import { NOTHING_DONE, storeShown, withoutShown } from './shown-messages.ts';
import { createStreamedText, type StreamedText } from './streamed-text.ts';
import { createToolProgress, showStatus } from './tool-progress.ts';

export type PresenterOptions = QuestionParts & {
  store: Pick<GatewayStore, 'finishWork'>;
  logger: Logger;
  displayOf(platform: string): ChatDisplay;
};

/** Where a turn is shown. */
export type PresentedIn = {
  chat: ClaimedChat;
  target: ChatTarget;
  /** The message of the user that the turn answers. */
  messageId: string;
  /** Who sent it. */
  authorId: string;
};

/** A running turn as its chat sees it. */
export interface Presentation {
  /**
   * Ends the presentation, so that no progress is shown after the answer. The answer begins with `reasoning`, which may
   * be empty, and replaces the messages that showed it while it was written. `notice` replaces the answer of a turn that
   * was stopped because nothing happened.
   */
  end(result: RunResult): Promise<{ reasoning: string; replaces: readonly string[]; notice: string | undefined }>;
}

/** Platforms show for about five seconds that an answer is being written. */
const TYPING_MS = 4000;
const REACTION_MS = 10_000;
/** How long progress waits for a text that goes before it. */
const AFTER_TEXT_MS = 300;
const MAX_REASONING_LINES = 15;

/** The end of a text that may be the beginning of a credential, which is only recognised when it is complete. */
const UNFINISHED = /[\w+/=.:~-]{8,500}$/;

/** Shows a running turn in its chat: that it works, what it does and writes, and what it asks. */
export function presentTurn(options: PresenterOptions, turn: ConversationTurn, where: PresentedIn): Presentation {
  const { logger } = options;
  const { chat, target } = where;
  const runner = options.accountOf(chat.conversation.account);
  const display = options.displayOf(runner.channel.facts.platform);
  const signs = createSigns(runner, where, display.reactions);
  const id = `${chat.key}/${turn.id}`;
  const place = { ...runnerParts(options, runner), target, isGroup: isGroup(chat), id, recipientId: where.authorId };
  const canEdit = runner.holdsAccount() && runner.channel.facts.streaming !== 'none';
  const mode = canEdit ? display.toolProgress : 'off';
  const progress = createToolProgress({ ...place, mode, previewLength: display.previewLength });
  const ended = new AbortController();
  if (canEdit && display.longRunning) void showStatus(progress, options.services.clock, ended.signal);
  const answer = createAnswer(options, { where, display, id, canStream: canEdit, place });
  const activity = limitInactivity(turn, { ...display, clock: options.services.clock, signal: ended.signal });

  async function show(event: AgentEvent): Promise<void> {
    switch (event.type) {
      case 'tool-started':
        if (await answer.endPart()) progress.hold(AFTER_TEXT_MS);
        return progress.add(event);
      case 'steered':
      case 'notified':
        return void (await answer.endPart());
      case 'request':
        // Some platforms lock the input line of the user while the bot is typing.
        signs.pause();
        return askInChat(options, event, where);
      case 'request-closed':
        signs.resume();
        return closeInChat(options, event.requestId);
      default:
        answer.read(event);
    }
  }

  async function follow(): Promise<void> {
    for await (const event of turn) {
      activity.read(event);
      await show(event).catch((thrown: unknown) =>
        logger.warn('could not show an event of a turn', { key: chat.key, error: errorMessage(thrown) }),
      );
    }
  }

  const followed = follow().finally(() => {
    ended.abort();
    signs.stop();
  });
  followed.catch(() => undefined);
  return {
    async end(result) {
      await followed.catch(() => undefined);
      await progress.end();
      signs.react(result);
      const shouldRemove = display.cleanupProgress && result.completed;
      if (shouldRemove) void progress.remove().catch(() => undefined);
      const reasoning = display.showReasoning && !result.interrupted ? describeReasoning(result.lastReasoning) : '';
      const notice = activity.notice(result);
      if (notice !== undefined) logger.warn('stopped a turn without activity', { key: chat.key });
      return { reasoning, replaces: await answer.end(result.interrupted), notice };
    },
  };
}

type InactivityOptions = Pick<ChatDisplay, 'inactivitySeconds'> & { clock: Clock; signal: AbortSignal };

/** Interrupts a turn in which nothing happens for too long. Questions have a time limit of their own. */
export function limitInactivity(
  turn: Pick<ConversationTurn, 'interrupt'>,
  { inactivitySeconds, clock, signal }: InactivityOptions,
) {
  let inactive: (() => number) | undefined;
  const asked = new Set<string>();
  let isStopped = false;

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const left = asked.size > 0 ? inactivitySeconds * 1000 : inactivitySeconds * 1000 - (inactive?.() ?? 0);
      if (left <= 0) {
        isStopped = true;
        return turn.interrupt('nothing happened for too long');
      }
      await clock.sleep(left, signal);
    }
  }

  return {
    read(event: AgentEvent): void {
      if (event.type === 'request') asked.add(event.requestId);
      else if (event.type === 'request-closed') asked.delete(event.requestId);
      // Before its first event, the turn waits for its session.
      const isFirst = inactive === undefined;
      inactive = startTimer(clock);
      if (isFirst && inactivitySeconds > 0) watch().catch(() => undefined);
    },
    notice({ interrupted }: RunResult): string | undefined {
      if (!isStopped || !interrupted) return undefined;
      return `⚠️ Nothing happened for ${formatDuration(inactivitySeconds)}, so Hermes stopped working on your message. Send a message to continue.`;
    },
  };
}

function runnerParts({ services }: PresenterOptions, { channel, scheduler }: AccountRunner) {
  return { channel, scheduler, clock: services.clock };
}

function isGroup({ conversation }: ClaimedChat): boolean {
  return conversation.source['chatType'] !== 'dm';
}

/** Signs of life: typing, and a reaction to the message of the user. */
function createSigns(runner: AccountRunner, { chat, target, messageId }: PresentedIn, reactions: boolean) {
  const { channel, scheduler } = runner;
  const stopped = new AbortController();
  const call = { chatId: target.chatId, isGroup: isGroup(chat), isCounted: false } as const;
  let isAsking = false;

  function showTyping(): void {
    const { showTyping: show } = channel;
    if (show === undefined || isAsking || !runner.holdsAccount()) return;
    const run = () => show.call(channel, target, stopped.signal);
    const { signal } = stopped;
    scheduler.schedule({ ...call, priority: 'typing', subject: chat.key, signal, run }).catch(() => undefined);
  }

  function react(reaction: string | undefined): void {
    if (!reactions || channel.react === undefined || !runner.holdsAccount()) return;
    const run = async () => channel.react?.(target, messageId, reaction, AbortSignal.timeout(REACTION_MS));
    const subject = `${chat.key}/${messageId}`;
    scheduler.schedule({ ...call, priority: 'progress', subject, run }).catch(() => undefined);
  }

  const typing = setInterval(showTyping, TYPING_MS);
  showTyping();
  react('👀');
  return {
    pause: () => void (isAsking = true),
    resume: () => void (isAsking = false),
    stop() {
      clearInterval(typing);
      stopped.abort();
    },
    react: ({ completed, interrupted }: RunResult) => react(completed ? '✅' : interrupted ? undefined : '❌'),
  };
}

type AnswerParts = {
  where: PresentedIn;
  display: ChatDisplay;
  /** Identifies the turn. */
  id: string;
  canStream: boolean;
  place: Omit<Parameters<typeof createStreamedText>[0], 'settings'>;
};

/** The text of a turn: one part before each step with tool calls, and the answer at the end. */
function createAnswer(options: PresenterOptions, { where, display, canStream, place }: AnswerParts) {
  const { chat, target } = where;
  const { streaming } = display;
  let parts = 0;
  let text = '';
  /** The length of the text when the running call of the model began. */
  let confirmed = 0;
  let stream: StreamedText | undefined;
  let replaced: readonly string[] = [];

  function show(): void {
    if (streaming === undefined || !canStream || text.trim() === '') return;
    const onSent = (ids: readonly string[]) => storeShown(options.store, chat, [...replaced, ...ids]);
    stream ??= createStreamedText({ ...place, settings: streaming, id: `${place.id}/${parts}`, onSent });
    stream.update(redactSecrets(text.replace(UNFINISHED, '')));
  }

  return {
    read(event: AgentEvent): void {
      if (event.type === 'thinking-started') confirmed = text.length;
      else if (event.type === 'answer-discarded') text = text.slice(0, confirmed);
      else if (event.type === 'text-delta') text += event.text;
      else return;
      show();
    },
    /** Sends the text so far as a message of its own. Returns whether there was one. */
    async endPart(): Promise<boolean> {
      const part = text.trim();
      text = '';
      confirmed = 0;
      if (part === '') return false;
      replaced = [...replaced, ...((await stream?.end()) ?? [])];
      stream = undefined;
      parts += 1;
      // Messages that already show text are used again for the next part.
      if (!display.interimMessages) return false;
      const runner = options.accountOf(chat.conversation.account);
      const now = options.services.clock.now();
      const message = { id: `${place.id.slice(chat.key.length + 1)}-part-${parts}`, text: part, target } as const;
      const outgoing = toOutgoing(runner.channel, chat, { ...message, kind: 'final', replaces: replaced, now });
      await options.store.finishWork(chat, { ...NOTHING_DONE, outgoing, changes: { settings: withoutShown(chat) } });
      replaced = [];
      runner.wake();
      return true;
    },
    /** The messages that show the answer. After an interrupt they stay as they are. */
    async end(isInterrupted: boolean): Promise<readonly string[]> {
      if (!isInterrupted) return [...replaced, ...((await stream?.end()) ?? [])];
      await stream?.abandon();
      return [];
    },
  };
}

/** The last lines of the reasoning, as Markdown, before the answer. */
function describeReasoning(reasoning: string | undefined): string {
  const lines = (reasoning ?? '').trim().split('\n');
  if (lines.join('') === '') return '';
  const fence = '`'.repeat(Math.max(3, ...[...lines.join('\n').matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const omitted = lines.length > MAX_REASONING_LINES ? [`… ${lines.length - MAX_REASONING_LINES} more lines`] : [];
  const shown = [...lines.slice(0, MAX_REASONING_LINES), ...omitted];
  return `💭 **Reasoning:**\n${fence}\n${shown.join('\n')}\n${fence}\n\n`;
}
