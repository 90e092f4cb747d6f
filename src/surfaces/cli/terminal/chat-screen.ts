import { describeChain, type OpenedAgent, type Runtime } from '../../../runtime/index.ts';
import type { ChatStart } from '../chat.ts';
import type { SessionContext } from '../../../runtime/models/index.ts';
import { describeEnding } from '../output/describe-ending.ts';
import { describeError, type Report, writeReport } from '../report-error.ts';
import { writeSessions } from '../sessions/list.ts';
import { createStyle, showable } from '../style.ts';
import { type BusyDialog, createBusyDialog } from './busy-dialog.ts';
import { createChatSession } from './chat-session.ts';
import { createInterruptKey } from './interrupt-key.ts';
import { createLineQueue } from './line-queue.ts';
import { createLineTerminal, type LineTerminal } from './line-terminal.ts';
import { createQuestionDesk } from './question-desk.ts';
import { formatOpening } from './screen-text.ts';
import { type ChatControls, isSlashCommand, type ModelCommandName, runSlashCommand } from './slash-commands.ts';
import { titleOf } from './title-command.ts';
import type { LastCall } from './usage-command.ts';
import { createWaitingFiles } from './waiting-files.ts';
import { createTurnRunner, type TurnRunner } from './turn-runner.ts';

export interface ChatScreen {
  /** Reads and answers lines until the person leaves; the exit code. */
  run(): Promise<number>;
  /** Interrupts what runs and leaves. */
  end(): void;
}

const SESSIONS_SHOWN = 15;

/** The parts of a chat in a terminal, and how a line goes through them. */
export function createChatScreen(start: ChatStart, runtime: Runtime, opened: OpenedAgent): ChatScreen {
  const parts = createParts(start, runtime);
  const { dialog, files, lines, print, style, terminal, turns } = parts;
  const { ifBusy, prompt } = start.options;
  const session = createChatSession({ runtime, opened, turns, dialog, ifBusy, style, print, leave: lines.close });

  const controls: ChatControls = {
    print,
    async newSession() {
      const models = await session.startNew();
      print(`A new session has begun, with ${showable(describeChain(models.routes()))}.\n`);
    },
    listSessions: () => writeSessions(runtime.store, { limit: SESSIONS_SHOWN }, start.io.stdout),
    changeModel: async (command, argument) =>
      print(await changeModel(command, { runtime, opened: session.opened() }, argument)),
    title: async (text) => print(await titleOf(runtime.store, session.id(), text)),
    usage: async () => print(await showUsage(runtime, session.opened(), turns.lastCall(session.id()))),
    attach: async (path) => print(await files.command(path)),
    leave: lines.close,
  };

  async function handle(text: string): Promise<void> {
    if (isSlashCommand(text)) return runSlashCommand(text, controls, style);
    // A press that ended the turn before this one does not count for it.
    parts.key.forget();
    const result = await files.sendWith((attached) => session.runTurn(text, attached));
    if (result === undefined) return void parts.giveBackFirst(text);
    runtime.titles.begin(result);
    const ending = describeEnding(result, runtime.logFile);
    if (ending) parts.report(ending);
    if (result.undelivered === undefined) return;
    // What was said too late for the turn is the next message. Whoever stopped it all gets the words back instead.
    if (result.interrupted) parts.giveBackFirst(result.undelivered);
    else lines.pushFirst(result.undelivered);
  }

  async function readLines(): Promise<void> {
    for (;;) {
      if (lines.isIdle()) terminal.prompt(parts.prompt, parts.takeGivenBack());
      const text = await lines.next();
      if (text === undefined) return;
      if (text.trim() !== '') await handle(text).catch(parts.fault);
    }
  }

  return {
    end: parts.end,
    async run() {
      print((await formatOpening(start, style)) + files.describeGiven());
      if (prompt !== undefined) lines.push(prompt);
      await session.begin().then(readLines).finally(terminal.close);
      const unsent = parts.takeGivenBack();
      print(unsent === '' ? '\n' : `\nNot sent: ${showable(unsent)}\n`);
      const stored = await session.close('user_exit');
      if (stored !== undefined) print(`Session ${stored} (hermes --resume ${stored})\n`);
      return 0;
    },
  };
}

async function changeModel(command: ModelCommandName, context: SessionContext, argument: string): Promise<string> {
  const { runModelCommand } = await import('./model-commands.ts');
  return runModelCommand(command, context, argument);
}

async function showUsage(runtime: Runtime, { agent, models }: OpenedAgent, lastCall: LastCall | undefined) {
  const { usageOf } = await import('./usage-command.ts');
  // A model that cannot be opened has used what it has used.
  const contextLength = lastCall && (await models.openPrimary().catch(() => undefined))?.contextLength;
  return usageOf({ store: runtime.store, sessionId: agent.sessionId, lastCall, contextLength });
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
