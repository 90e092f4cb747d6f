import { beginWithSkills, type OpenedAgent, type Runtime } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import { describeEnding } from '../output/describe-ending.ts';
import { describeError, type Report, writeReport } from '../report-error.ts';
import { createStyle, showable } from '../style.ts';
import { type BusyDialog, createBusyDialog } from './busy-dialog.ts';
import { createChatControls } from './chat-controls.ts';
import { type ChatSession, createChatSession } from './chat-session.ts';
import { createInterruptKey } from './interrupt-key.ts';
import { createLineQueue } from './line-queue.ts';
import { createLineTerminal, type LineTerminal } from './line-terminal.ts';
import { createQuestionDesk } from './question-desk.ts';
import { formatOpening } from './screen-text.ts';
import { isSlashCommand, runSlashCommand } from './slash-commands.ts';
import { createWaitingFiles } from './waiting-files.ts';
import { createTurnRunner, type TurnRunner } from './turn-runner.ts';

export interface ChatScreen {
  /** Reads and answers lines until the person leaves; the exit code. */
  run(): Promise<number>;
  /** Interrupts what runs and leaves. */
  end(): void;
}

/** The parts of a chat in a terminal, and how a line goes through them. */
export function createChatScreen(start: ChatStart, runtime: Runtime, opened: OpenedAgent): ChatScreen {
  const parts = createParts(start, runtime);
  const { dialog, files, lines, print, style, terminal, turns } = parts;
  const { ifBusy, prompt } = start.options;
  let { skills } = start.options;
  const session = createChatSession({ runtime, opened, turns, dialog, ifBusy, style, print, leave: lines.close });

  const { io } = start;
  const controls = createChatControls({ runtime, session, turns, files, io, style, print, send, leave: lines.close });

  async function handle(text: string): Promise<void> {
    return isSlashCommand(text) ? runSlashCommand(text, controls, style) : send(text);
  }

  async function send(text: string, called?: string): Promise<void> {
    const sent = skills === undefined ? called : await beginWithSkills(runtime.skills(), skills, called ?? text);
    // A press that ended the turn before this one does not count for it.
    parts.key.forget();
    const result = await files.sendWith((attached) => session.runTurn(text, attached, sent));
    if (result === undefined) return void parts.giveBackFirst(text);
    // From now on they are part of the conversation.
    skills = undefined;
    runtime.titles.begin(result);
    runtime.reviews.begin(result);
    const ending = describeEnding(result, runtime.logFile);
    if (ending) parts.report(ending);
    if (result.undelivered === undefined) return;
    // What was said too late for the turn is the next message. Whoever stopped it all gets the words back instead.
    if (result.interrupted) parts.giveBackFirst(result.undelivered);
    else lines.pushFirst(result.undelivered);
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
      print((await formatOpening(start, runtime, style)) + files.describeGiven());
      if (prompt !== undefined) lines.push(prompt);
      await session.begin().then(readLines).finally(terminal.close);
      print(await sayGoodbye(session, parts.takeGivenBack()));
      return 0;
    },
  };
}

/** Ends the session; what was typed and not sent is said, and how to go on. */
async function sayGoodbye(session: ChatSession, unsent: string): Promise<string> {
  const stored = await session.close('user_exit');
  const lost = unsent === '' ? '\n' : `\nNot sent: ${showable(unsent)}\n`;
  return stored === undefined ? lost : `${lost}Session ${stored} (hermes --resume ${stored})\n`;
}

/** Made in an order in which each part knows the ones before it; the terminal's keys reach the later ones. */
function createParts(start: ChatStart, runtime: Runtime) {
  const { io, settings } = start;
  const style = createStyle(io.stdout, io.env);
  const prompt = style.cyan('❯ ');
  const lines = createLineQueue();
  const print = (text: string) => void io.stdout.write(text);
  const givenBack: string[] = [];
  const end = () => {
    turns.interrupt('the terminal was closed');
    dialog.close();
    lines.close();
  };
  const terminal: LineTerminal = createLineTerminal(io, {
    onLines(text) {
      key.forget();
      if (dialog.isOpen()) dialog.takeLine(text);
      else if (turns.isRunning()) turns.takeLine(text);
      else lines.push(text);
    },
    onInterrupt(typed) {
      if (dialog.isOpen()) return dialog.interrupt();
      // The press is for the turn and not for the line that was being typed beside it.
      if (turns.isRunning() && typed.trim() !== '') givenBack.push(typed);
      key.press(typed);
    },
    onEnd: end,
  });
  const dialog: BusyDialog = createBusyDialog({
    ...{ store: runtime.store, terminal, print, style, keep: lines.push },
  });
  const files = createWaitingFiles(io, start.attachments);
  const questions = createQuestionDesk({ terminal, print, style });
  const busyMode = settings.busyInputMode ?? 'steer';
  const turns: TurnRunner = createTurnRunner({ io, runtime, style, lines, questions, busyMode });
  const key = createInterruptKey({ turns, print, prompt: () => terminal.prompt(prompt), leave: end });
  return {
    ...{ style, prompt, lines, files, print, terminal, turns, dialog, key, end },
    /** Keeps text that was not sent until there is a line to put it into. */
    giveBackFirst: (text: string) => givenBack.unshift(text),
    takeGivenBack: () => givenBack.splice(0).join('\n'),
    report: (report: Report) => writeReport(io, report),
    fault(thrown: unknown) {
      runtime.logger.error('a line could not be handled', {}, thrown);
      writeReport(io, describeError(thrown, runtime.logFile));
    },
  };
}
