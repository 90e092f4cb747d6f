import { systemClock } from '../../../base/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import { createBackgroundRuns, listJobs, type SlashTerminal } from '../../slash/index.ts';
import type { ChatStart } from '../chat.ts';
import { signalCause } from '../exit-path.ts';
import { describeError } from '../report-error.ts';
import { type BusyDialog, createBusyDialog } from './busy-dialog.ts';
import { type ChatCommands, createChatCommands } from './chat-commands.ts';
import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';
import { createFollow, type Follow } from './follow.ts';
import { createInterruptKey, type InterruptKey } from './interrupt-key.ts';
import { createJobWatch } from './job-watch.ts';
import { createLineQueue, type LineQueue } from './line-queue.ts';
import { createQuestionQueue, type QuestionQueue } from './question-queue.ts';
import { createShellLines } from './shell-line.ts';
import { createTurnRunner, type TurnRunner } from './turn-runner.ts';
import { createPendingAttachments, type PendingAttachments } from './pending-attachments.ts';

/** Opens plain mode or the screen, and connects it to the chat. */
export type OpenTerminal = (handlers: ChatTerminalHandlers) => ChatTerminal;

type ChatPartsOptions = { runtime: Runtime; conversation: Conversation; openTerminal: OpenTerminal };

/**
 * Creates each part after the parts it depends on. Terminal handlers may refer to parts that are created later,
 * because they run only when a key is pressed.
 */
export function createChatParts(start: ChatStart, { runtime, conversation, openTerminal }: ChatPartsOptions) {
  const givenBack: string[] = [];
  const follow = createFollow();
  const terminal: ChatTerminal = openTerminal(createHandlers(() => parts, givenBack));
  const prompt = terminal.style.cyan('❯ ');
  const lines = createLineQueue(terminal.showQueued);
  const dialog: BusyDialog = createBusyDialog({ store: runtime.store, terminal, queueLine: lines.push });
  const files = createPendingAttachments(start.io, start.attachments);
  const display: SlashTerminal['display'] = { verbosity: start.options.quiet ? 'quiet' : 'normal' };
  const questions = createQuestionQueue(terminal, (requestId, answer) => {
    conversation
      .answer(requestId, answer, runtime.blueprint.actor)
      .catch((thrown: unknown) => runtime.logger.error('could not deliver an answer', { requestId }, thrown));
  });
  const turns: TurnRunner = createTurnRunner({
    terminal,
    conversation,
    lines,
    questions,
    onEvent: (event) => jobs.onEvent(event),
    busyMode: start.settings.busyInputMode ?? 'steer',
    display: {
      verbosity: () => display.verbosity,
      contextLength: async () => (await conversation.opened().models.openPrimary())?.contextLength,
    },
  });
  const shell = createShellLines({ environment: () => conversation.opened().environment, turns, terminal });
  const end = (reason = 'the terminal was closed') => {
    turns.interrupt(reason);
    terminal.cancelPick();
    follow.stop();
    jobs.close();
    dialog.close();
    lines.close();
  };
  const fault = (thrown: unknown) => {
    runtime.logger.error('could not process an input line', {}, thrown);
    terminal.report(describeError(thrown, runtime.logFile));
  };
  const commands = createChatCommands({ terminal, quickCommands: start.settings.quickCommands, fault });
  const key = createInterruptKey({
    turns,
    say(text) {
      terminal.breakLine();
      terminal.print(text);
    },
    prompt: () => terminal.prompt(prompt),
    leave: end,
    leaveNow: () => start.exits.force(signalCause('Ctrl-C')),
  });
  const { background, jobs } = createBackgroundJobs({
    runtime,
    conversation,
    terminal,
    // Shows the prompt again, because the announcement was printed over it.
    onAnnounced: () => (lines.isIdle() && !turns.isRunning() && !dialog.isOpen() ? terminal.prompt(prompt) : undefined),
  });
  const parts = {
    ...createDialogs(terminal, lines),
    background,
    commands,
    dialog,
    display,
    files,
    follow,
    key,
    lines,
    questions,
    shell,
    terminal,
    turns,
    prompt,
    fault,
    end,
    /** Stores text that was not sent until the next prompt, which puts it back into the input line. */
    giveBackFirst: (text: string) => givenBack.unshift(text),
    takeGivenBack: () => givenBack.splice(0).join('\n'),
  };
  return parts;
}

/** What slash commands use of the terminal. */
function createDialogs(terminal: ChatTerminal, lines: LineQueue) {
  const { pick, setTheme, printConversation } = terminal;
  return { pick, setTheme, printConversation, ask: (question: string) => askFor(question, terminal, lines) };
}

type BackgroundOptions = Pick<ChatPartsOptions, 'runtime' | 'conversation'> & {
  terminal: ChatTerminal;
  /** A background turn has ended, and its answer was printed. */
  onAnnounced(): void;
};

/** Background turns, and the display of them and of background processes. */
function createBackgroundJobs({ runtime, conversation, terminal, onAnnounced }: BackgroundOptions) {
  const announce = (text: string, answer: string) => {
    terminal.breakLine();
    terminal.print(text);
    terminal.printAnswer(answer);
    onAnnounced();
  };
  const onCount = () => jobs.refresh();
  const background = createBackgroundRuns({ runtime, now: systemClock.now, announce, onCount });
  const session = { id: () => conversation.sessionId, opened: conversation.opened };
  const jobs = createJobWatch({
    list: () => listJobs({ runtime, session, background }),
    show: terminal.showJobs,
    onError: (thrown) => runtime.logger.warn('could not list the jobs', { reason: String(thrown) }),
  });
  return { background, jobs };
}

/** Discards what was typed before the question, because it cannot be the answer. */
function askFor(question: string, terminal: ChatTerminal, lines: LineQueue): Promise<string | undefined> {
  terminal.clearInput();
  terminal.prompt(question);
  return lines.nextTyped();
}

const NO_IMAGE =
  'The clipboard has no image, or no program can read it (wl-paste or xclip on Linux). Use /image PATH to attach a file.\n';

type HandlerParts = {
  commands: ChatCommands;
  dialog: BusyDialog;
  files: PendingAttachments;
  follow: Follow;
  key: InterruptKey;
  lines: LineQueue;
  questions: QuestionQueue;
  terminal: ChatTerminal;
  turns: TurnRunner;
  fault(thrown: unknown): void;
  end(): void;
};

/** Routes keys and lines: to an open dialog first, then to the running turn, then to the chat. */
function createHandlers(parts: () => HandlerParts, givenBack: string[]): ChatTerminalHandlers {
  return {
    onLines(text, how) {
      const { commands, dialog, key, lines, turns } = parts();
      key.reset();
      if (dialog.isOpen()) dialog.handleLine(text);
      else if (!turns.isRunning()) lines.push(text);
      // Commands take precedence over open questions, so that `/stop` works without answering first.
      else if (!commands.handleDuringTurn(text)) turns.handleLine(text, how);
    },
    onInterrupt(typed) {
      const { dialog, follow, key, lines, terminal, turns } = parts();
      if (follow.stop()) return;
      if (dialog.isOpen()) return dialog.interrupt();
      if (lines.cancelNextTyped()) return terminal.breakLine();
      // Ctrl-C interrupts the turn and keeps the line that was being typed.
      if (turns.isRunning() && typed.trim() !== '') givenBack.push(typed);
      key.press(typed);
    },
    onStop() {
      const { dialog, follow, lines, turns } = parts();
      if (follow.stop()) return;
      if (dialog.isOpen()) dialog.interrupt();
      else if (!lines.cancelNextTyped()) turns.interrupt();
    },
    onAnswer: (answer) => parts().questions.respond(answer),
    onEditQueued: () => parts().lines.popNewest(),
    async onFileDropped(path) {
      const { files, terminal } = parts();
      const said = await files.runImageCommand(path).catch(() => undefined);
      if (said !== undefined) terminal.print(said);
      return said !== undefined;
    },
    onPasteImage(quietly) {
      const { fault, files, terminal } = parts();
      const paste = async () => {
        const said = await files.pasteImage();
        if (said !== undefined || !quietly) terminal.print(said ?? NO_IMAGE);
      };
      void paste().catch(fault);
    },
    onEnd: () => parts().end(),
  };
}
