import { type RunResult, systemClock } from '../../../base/index.ts';
import { beginWithSkills, type OpenedAgent, type Runtime } from '../../../runtime/index.ts';
import { createBackgroundRuns, isSlashCommand, type SlashTerminal } from '../../slash/index.ts';
import type { ChatStart } from '../chat.ts';
import { describeEnding } from '../output/describe-ending.ts';
import { describeError } from '../report-error.ts';
import { showable } from '../style.ts';
import { type BusyDialog, createBusyDialog } from './busy-dialog.ts';
import { type ChatCommands, createChatCommands } from './chat-commands.ts';
import { createChatContext } from './chat-context.ts';
import { type ChatSession, createChatSession } from './chat-session.ts';
import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';
import { formatAbilities, formatOpening } from './chat-text.ts';
import { createCompletions } from './create-completions.ts';
import { createInterruptKey, type InterruptKey } from './interrupt-key.ts';
import { createLineQueue, type LineQueue } from './line-queue.ts';
import { createQuestionDesk, type QuestionDesk } from './question-desk.ts';
import { createShellLines, isShellLine } from './shell-line.ts';
import { createTurnRunner, type TurnRunner } from './turn-runner.ts';
import { createWaitingFiles, type WaitingFiles } from './waiting-files.ts';

export interface TerminalChat {
  /** Reads and answers lines until the person leaves; the exit code. */
  run(): Promise<number>;
  /** Interrupts what runs and leaves. */
  end(): void;
}

/** Opens plain mode or the screen, with the chat behind it. */
export type OpenTerminal = (handlers: ChatTerminalHandlers) => ChatTerminal;

type ChatParts = { runtime: Runtime; opened: OpenedAgent; openTerminal: OpenTerminal };

/** The parts of a chat in a terminal, and how a line goes through them. */
export function createTerminalChat(start: ChatStart, { runtime, opened, openTerminal }: ChatParts): TerminalChat {
  const parts = createParts(start, runtime, openTerminal, () => session.opened());
  const { commands, dialog, files, lines, shell, terminal, turns } = parts;
  const { io, print, style } = terminal;
  const { ifBusy, prompt } = start.options;
  let { skills } = start.options;
  const session: ChatSession = createChatSession({
    ...{ runtime, opened, turns, dialog, ifBusy, style, print, leave: lines.close },
  });
  const context = createChatContext({
    ...{ ...parts, registry: commands.registry, runtime, session, io, style, print, send },
    ...{ giveBack: parts.giveBackFirst, leave: lines.close },
  });
  commands.workOn(context);
  terminal.setCompletions(createCompletions(context));

  async function handle(text: string): Promise<void> {
    terminal.echo(text);
    if (isShellLine(text)) return shell.run(text);
    return isSlashCommand(text) ? commands.run(text) : send(text);
  }

  async function send(text: string, called?: string): Promise<void> {
    const begun = skills === undefined ? called : await beginWithSkills(runtime.skills(), skills, called ?? text);
    const sent = shell.sendWith(begun ?? text) ?? begun;
    // A press that ended the turn before this one does not count for it.
    parts.key.forget();
    const result = await files.sendWith((attached) => session.runTurn(text, attached, sent));
    if (result === undefined) return void parts.giveBackFirst(text);
    // From now on they are part of the conversation.
    skills = undefined;
    shell.taken();
    afterTurn(result, runtime, parts);
  }

  async function readLines(): Promise<void> {
    for (;;) {
      for (const line of runtime.reviews.news()) print(style.dim(`${showable(line)}\n`));
      if (lines.isIdle()) terminal.prompt(parts.prompt, parts.takeGivenBack());
      const text = await lines.next();
      if (text === undefined) return;
      if (text.trim() !== '') await handle(text).catch(parts.fault);
    }
  }

  return {
    end: parts.end,
    async run() {
      await sayOpening(start, { runtime, opened, terminal });
      print(files.describeGiven());
      if (prompt !== undefined) lines.push(prompt);
      await session.begin().then(readLines).finally(terminal.close);
      await parts.background.close();
      start.io.stdout.write(await sayGoodbye(session, parts.takeGivenBack()));
      return 0;
    },
  };
}

/** What a turn leaves to be done and said. */
function afterTurn(
  result: RunResult,
  runtime: Runtime,
  { giveBackFirst, lines, terminal }: ReturnType<typeof createParts>,
) {
  runtime.titles.begin(result);
  runtime.reviews.begin(result);
  const ending = describeEnding(result, runtime.logFile);
  if (ending) terminal.report(ending);
  if (result.undelivered === undefined) return;
  // What was said too late for the turn is the next message. Whoever stopped it all gets the words back instead.
  if (result.interrupted) giveBackFirst(result.undelivered);
  else lines.pushFirst(result.undelivered);
}

/** What takes a moment to find out comes later where output has a place beside what is typed. */
async function sayOpening(
  start: ChatStart,
  { runtime, opened, terminal }: Omit<ChatParts, 'openTerminal'> & { terminal: ChatTerminal },
) {
  const { hasLivePart, print, style } = terminal;
  print(formatOpening(start, runtime, style));
  const abilities = formatAbilities(start.routes, opened, style).then(print, (thrown: unknown) =>
    runtime.logger.warn('the model could not be described', { reason: String(thrown) }),
  );
  if (!hasLivePart) await abilities;
}

/** Ends the session; what was typed and not sent is said, and how to go on. */
async function sayGoodbye(session: ChatSession, unsent: string): Promise<string> {
  const stored = await session.close('user_exit');
  const lost = unsent === '' ? '\n' : `\nNot sent: ${showable(unsent)}\n`;
  return stored === undefined ? lost : `${lost}Session ${stored} (hermes --resume ${stored})\n`;
}

/** Made in an order in which each part knows the ones before it; the terminal's keys reach the later ones. */
function createParts(
  start: ChatStart,
  runtime: Runtime,
  openTerminal: OpenTerminal,
  opened: () => Pick<OpenedAgent, 'environment' | 'models'>,
) {
  const givenBack: string[] = [];
  const terminal: ChatTerminal = openTerminal(createHandlers(() => parts, givenBack));
  const prompt = terminal.style.cyan('❯ ');
  const lines = createLineQueue(terminal.showWaiting);
  const dialog: BusyDialog = createBusyDialog({ store: runtime.store, terminal, keep: lines.push });
  const files = createWaitingFiles(start.io, start.attachments);
  const display: SlashTerminal['display'] = { verbosity: start.options.quiet ? 'quiet' : 'normal' };
  const questions = createQuestionDesk(terminal);
  const turns: TurnRunner = createTurnRunner({
    ...{ terminal, runtime, lines, questions, busyMode: start.settings.busyInputMode ?? 'steer' },
    // A model that cannot be opened has no window that anybody knows.
    facts: {
      verbosity: () => display.verbosity,
      contextLength: async () =>
        (
          await opened()
            .models.openPrimary()
            .catch(() => undefined)
        )?.contextLength,
    },
  });
  const shell = createShellLines({ environment: () => opened().environment, turns, terminal });
  const end = () => {
    turns.interrupt('the terminal was closed');
    dialog.close();
    lines.close();
  };
  const fault = (thrown: unknown) => {
    runtime.logger.error('a line could not be handled', {}, thrown);
    terminal.report(describeError(thrown, runtime.logFile));
  };
  const commands = createChatCommands({ style: terminal.style, print: terminal.print, fault });
  const say = (text: string) => {
    terminal.breakLine();
    terminal.print(text);
  };
  const key = createInterruptKey({ turns, say, prompt: () => terminal.prompt(prompt), leave: end });
  const announce = (text: string) => {
    terminal.breakLine();
    terminal.print(text);
    // What is being typed stays, below what was said.
    if (lines.isIdle() && !turns.isRunning() && !dialog.isOpen()) terminal.prompt(prompt);
  };
  const background = createBackgroundRuns({ runtime, now: systemClock.now, announce });
  const parts = {
    ...{
      background,
      display,
      prompt,
      lines,
      files,
      terminal,
      turns,
      dialog,
      questions,
      key,
      shell,
      commands,
      fault,
      end,
    },
    /** Keeps text that was not sent until there is a line to put it into. */
    giveBackFirst: (text: string) => givenBack.unshift(text),
    takeGivenBack: () => givenBack.splice(0).join('\n'),
  };
  return parts;
}

type Reached = {
  commands: ChatCommands;
  dialog: BusyDialog;
  files: WaitingFiles;
  key: InterruptKey;
  lines: LineQueue;
  questions: QuestionDesk;
  terminal: ChatTerminal;
  turns: TurnRunner;
  end(): void;
};

/** What a key or a line reaches: a dialog first, then what runs, then the chat. */
function createHandlers(parts: () => Reached, givenBack: string[]): ChatTerminalHandlers {
  return {
    onLines(text, how) {
      const { commands, dialog, key, lines, turns } = parts();
      key.forget();
      if (dialog.isOpen()) dialog.takeLine(text);
      else if (!turns.isRunning()) lines.push(text);
      // Before the questions, because whoever wants to stop does not want to answer first.
      else if (!commands.takeDuringTurn(text)) turns.takeLine(text, how);
    },
    onInterrupt(typed) {
      const { dialog, key, turns } = parts();
      if (dialog.isOpen()) return dialog.interrupt();
      // The press is for the turn and not for the line that was being typed beside it.
      if (turns.isRunning() && typed.trim() !== '') givenBack.push(typed);
      key.press(typed);
    },
    onStop: () => (parts().dialog.isOpen() ? parts().dialog.interrupt() : parts().turns.interrupt()),
    onAnswer: (answer) => parts().questions.respond(answer),
    onTakeBack: () => parts().lines.takeBack(),
    async onFile(path) {
      const { files, terminal } = parts();
      const said = await files.command(path).catch(() => undefined);
      if (said !== undefined) terminal.print(said);
      return said !== undefined;
    },
    onEnd: () => parts().end(),
  };
}
