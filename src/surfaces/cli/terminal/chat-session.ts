import { type AttachedFile, type RunResult, systemClock } from '../../../base/index.ts';
import {
  branchSession,
  carryOver,
  findHolder,
  leaveSession,
  type OpenedAgent,
  type Runtime,
  SessionHeld,
} from '../../../runtime/index.ts';
import type { IfBusy } from '../chat-options.ts';
import { type Style, showable } from '../style.ts';
import type { BusyDialog, BusyOutcome } from './busy-dialog.ts';
import { recapOf } from './screen-text.ts';
import type { TurnRunner } from './turn-runner.ts';

/** The session a chat is about. It changes where the person begins a new one, or branches off a held one. */
export interface ChatSession {
  id(): string;
  opened(): OpenedAgent;
  /** Shows what a resumed session was about; one that another process holds is asked about first. */
  begin(): Promise<void>;
  /** Undefined where the session is held and the person wants neither to wait nor to branch. */
  runTurn(text: string, attachments: readonly AttachedFile[]): Promise<RunResult | undefined>;
  /** What `/compress` does with its argument. */
  compress(argument: string): Promise<void>;
  /** The models of the new session: those that are saved, whatever was chosen for the one before. */
  startNew(): Promise<OpenedAgent['models']>;
  /** Marks it as ended; the id, or undefined where nothing was stored. */
  close(reason: string): Promise<string | undefined>;
}

export type ChatSessionOptions = {
  runtime: Runtime;
  opened: OpenedAgent;
  turns: TurnRunner;
  dialog: BusyDialog;
  ifBusy: IfBusy | undefined;
  style: Style;
  print(text: string): void;
  leave(): void;
};

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { runtime, turns, print, style } = options;
  const { store } = runtime;
  let { opened } = options;

  const showRecap = async () => print(await recapOf(runtime, opened, style));

  /** Whether the chat can go on: with the session, read anew, or with a branch of it. */
  async function settle(sessionId: string): Promise<boolean> {
    const outcome = await chooseOutcome(options, sessionId);
    if (outcome === 'leave') options.leave();
    if (outcome === 'leave' || outcome === 'back') return false;
    const branch =
      outcome === 'branch' ? await branchSession({ store, clock: systemClock }, sessionId, 'cli') : undefined;
    opened = carryOver(opened, await runtime.openAgent({ resume: branch?.id ?? sessionId }));
    if (branch !== undefined) print(describeBranch(branch.id, branch.title));
    return true;
  }

  /** Where another process compressed the session, it goes on elsewhere. */
  async function follow(): Promise<void> {
    const newest = await store.newestInLineage(opened.agent.sessionId);
    if (newest === undefined || newest.id === opened.agent.sessionId) return;
    opened = carryOver(opened, await runtime.openAgent({ resume: newest.id }));
    print(style.dim(`The session was compressed elsewhere and goes on as ${newest.id}.\n`));
  }

  /** Undefined where the session is held and the person wants neither to wait nor to branch. */
  async function whenFree<Value>(task: (agent: OpenedAgent['agent']) => Promise<Value>): Promise<Value | undefined> {
    for (;;) {
      await follow();
      try {
        return await task(opened.agent);
      } catch (thrown) {
        if (!(thrown instanceof SessionHeld) || options.ifBusy === 'fail') throw thrown;
        if (!(await settle(thrown.sessionId))) return undefined;
      }
    }
  }

  async function close(reason: string): Promise<string | undefined> {
    const { sessionId } = opened.agent;
    return (await leaveSession(store, sessionId, reason)) ? sessionId : undefined;
  }

  return {
    id: () => opened.agent.sessionId,
    opened: () => opened,
    async begin() {
      const { resumed } = opened;
      const holder = resumed && (await findHolder(store, resumed.id));
      if (resumed !== undefined && holder !== undefined) {
        if (options.ifBusy === 'fail') throw new SessionHeld(resumed.id, holder);
        await settle(resumed.id);
      }
      await showRecap();
    },
    runTurn: (text, attachments) => whenFree((agent) => turns.run(agent, text, attachments)),
    async compress(argument) {
      const { formatCompression, parseCompress } = await import('./compress-command.ts');
      const request = parseCompress(argument);
      if (!request.previewOnly) print(style.dim('Compressing…\n'));
      await whenFree(async (agent) => {
        print(formatCompression(await turns.compress(agent, request), request.previewOnly));
      });
    },
    async startNew() {
      await close('new_session');
      opened = await runtime.openAgent();
      return opened.models;
    },
    close,
  };
}

/** What was said on the command line, else what the person chooses now. */
async function chooseOutcome({ dialog, ifBusy }: ChatSessionOptions, sessionId: string): Promise<BusyOutcome> {
  if (ifBusy === 'branch') return 'branch';
  if (ifBusy === 'wait' && (await dialog.wait(sessionId)) === 'free') return 'free';
  return dialog.ask(sessionId);
}

function describeBranch(id: string, title: string | undefined): string {
  return `Going on in a branch: session ${id}${title === undefined ? '' : ` "${showable(title)}"`}.\n`;
}
