import { type RunResult, systemClock } from '../../../base/index.ts';
import type { Conversation, HeldChoice, OnHeld, SessionNotice } from '../../../conversations/index.ts';
import { modeOf, startWithSkills, type Runtime, type SessionHeld } from '../../../runtime/index.ts';
import { describeStopped, isSlashCommand } from '../../slash/index.ts';
import type { ChatStart } from '../chat.ts';
import type { IfBusy } from '../chat-options.ts';
import { describeExit } from '../output/describe-exit.ts';
import { type Style, printable } from '../style.ts';
import { createChatContext } from './chat-context.ts';
import { createChatParts, type OpenTerminal } from './chat-parts.ts';
import { type ChatSession, createChatSession } from './chat-session.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import { formatModelSummary, formatBanner } from './chat-text.ts';
import { createCompletions } from './completions.ts';
import { isShellLine } from './shell-line.ts';

export interface TerminalChat {
  /** Reads and processes lines until the user leaves. Returns the exit code. */
  run(): Promise<number>;
  /** Interrupts running work and leaves. */
  end(reason: string): void;
  /** Applies `--if-busy` to a session that another process holds, or asks the user. */
  onHeld: OnHeld;
  onNotice(notice: SessionNotice): void;
}

type ChatParts = { runtime: Runtime; conversation: Conversation; openTerminal: OpenTerminal };

/** Reads lines from a terminal and runs each as a shell line, a slash command or a message. */
export function createTerminalChat(start: ChatStart, { runtime, conversation, openTerminal }: ChatParts): TerminalChat {
  const { actor } = runtime.blueprint;
  const parts = createChatParts(start, { runtime, conversation, openTerminal });
  const { commands, files, lines, shell, terminal, turns } = parts;
  const { io, print, style } = terminal;
  const { prompt } = start.options;
  let { skills } = start.options;
  const session = createChatSession({ runtime, conversation, turns, terminal });
  const context = createChatContext({
    ...parts,
    actor,
    registry: commands.registry,
    runtime,
    session,
    io,
    style,
    print,
    send,
    restoreInput: parts.giveBackFirst,
    leave: lines.close,
  });
  commands.bind(context);
  terminal.setCompletions(createCompletions(context));
  terminal.showMode(() => modeOf(conversation.opened().choices));

  async function handle(text: string): Promise<void> {
    terminal.echo(text);
    if (isShellLine(text)) return shell.run(text);
    return isSlashCommand(text) ? commands.run(text) : send(text);
  }

  async function send(text: string, called?: string): Promise<void> {
    const begun = skills === undefined ? called : await startWithSkills(runtime.skills(), skills, called ?? text);
    const sent = shell.withPendingOutput(begun ?? text) ?? begun;
    // A Ctrl-C that interrupted the previous turn does not count for this one.
    parts.key.reset();
    const result = await files.sendWith((attachments) => session.runTurn({ text, sent, attachments }));
    if (result === undefined) return void parts.giveBackFirst(text);
    // Skills are sent only once; after that they are part of the conversation.
    skills = undefined;
    shell.discardPendingOutput();
    afterTurn(result, runtime, parts);
  }

  async function readLines(): Promise<void> {
    for (;;) {
      for (const line of [...runtime.checkpoints.drainMessages(), ...runtime.trajectories.drainMessages()])
        print(`${style.yellow('!')} ${printable(line)}\n`);
      for (const line of runtime.reviews.drainMessages()) print(style.dim(`${printable(line)}\n`));
      if (lines.isIdle()) terminal.prompt(parts.prompt, parts.takeGivenBack());
      const text = await lines.next();
      if (text === undefined) return;
      if (text.trim() !== '') await handle(text).catch(parts.fault);
    }
  }

  return {
    end: parts.end,
    onHeld: async (held) => resolveHeldSession(held, start.options.ifBusy, parts),
    onNotice: (notice) => print(formatNotice(notice, style)),
    async run() {
      await printBanner(start, { runtime, conversation, terminal });
      for (const notice of (await start.findNotices?.()) ?? []) print(`${style.yellow('!')} ${printable(notice)}\n`);
      print(files.describeInitial());
      if (prompt !== undefined) lines.push(prompt);
      await session.begin().then(readLines).finally(terminal.close);
      const stopped = await parts.background.close();
      start.io.stdout.write(
        describeStopped(stopped) +
          (await reportUnsavedTrajectories(runtime)) +
          (await endSession(session, parts.takeGivenBack())),
      );
      return 0;
    },
  };
}

async function resolveHeldSession(
  held: SessionHeld,
  ifBusy: IfBusy | undefined,
  { dialog, lines }: Pick<ReturnType<typeof createChatParts>, 'dialog' | 'lines'>,
): Promise<HeldChoice> {
  if (ifBusy === 'fail') throw held;
  if (ifBusy === 'branch') return 'branch';
  if (ifBusy === 'wait' && (await dialog.wait(held.sessionId)) === 'free') return 'retry';
  const outcome = await dialog.ask(held.sessionId);
  if (outcome === 'leave') lines.close();
  if (outcome === 'free') return 'retry';
  return outcome === 'branch' ? 'branch' : 'cancel';
}

function formatNotice(notice: SessionNotice, style: Style): string {
  if (notice.type === 'moved')
    return style.dim(`Another process compressed the session. It continues as ${notice.sessionId}.\n`);
  const { id, title } = notice.session;
  return `Continuing in a branch: session ${id}${title === undefined ? '' : ` "${printable(title)}"`}.\n`;
}

/** Reports how a turn ended, and keeps text that arrived too late to be delivered. */
function afterTurn(
  result: RunResult,
  runtime: Runtime,
  { giveBackFirst, lines, terminal }: ReturnType<typeof createChatParts>,
) {
  const ending = describeExit(result, runtime.logFile);
  if (ending) terminal.report(ending);
  if (result.undelivered === undefined) return;
  // Undelivered text becomes the next message. After an interrupt it goes back to the input line.
  if (result.interrupted) giveBackFirst(result.undelivered);
  else lines.pushFirst(result.undelivered);
}

/** How long the first prompt is delayed for the description of the model. */
const BANNER_TIMEOUT_MS = 1000;

/**
 * Prints the banner. If the model description is not ready in time, it is printed later, provided that the terminal
 * can print above the input line.
 */
async function printBanner(
  start: ChatStart,
  { runtime, conversation, terminal }: Omit<ChatParts, 'openTerminal'> & { terminal: ChatTerminal },
) {
  const { hasLivePart, print, style } = terminal;
  print(formatBanner(start, runtime, conversation.opened().choices.plan, style));
  let late = false;
  const abilities = formatModelSummary(start, runtime, conversation.opened(), style).then(
    (line) => (late && !hasLivePart ? undefined : print(line)),
    (thrown: unknown) => runtime.logger.warn('could not describe the model', { reason: String(thrown) }),
  );
  const limit = new AbortController();
  const waited = systemClock.sleep(BANNER_TIMEOUT_MS, limit.signal).catch(() => undefined);
  await Promise.race([abilities, waited]);
  limit.abort();
  late = true;
}

/** Waits until the trajectory of the last turn is saved, and reports problems with saving it. */
async function reportUnsavedTrajectories({ trajectories }: Runtime): Promise<string> {
  await trajectories.settled();
  return trajectories
    .drainMessages()
    .map((line) => `\n! ${printable(line)}`)
    .join('');
}

/** Ends the session, and reports unsent text and how to resume. */
async function endSession(session: ChatSession, unsent: string): Promise<string> {
  const stored = await session.close('user_exit');
  const lost = unsent === '' ? '\n' : `\nNot sent: ${printable(unsent)}\n`;
  return stored === undefined ? lost : `${lost}Session ${stored} (hermes --resume ${stored})\n`;
}
