import { systemClock } from '../../../base/index.ts';
import { branchSession, carryOver, type OpenedAgent, type Runtime, SessionHeld } from '../../../runtime/index.ts';
import type { IfBusy } from '../chat-options.ts';
import { type Style, showable } from '../style.ts';
import type { BusyDialog, BusyOutcome } from './busy-dialog.ts';
import type { ForgottenFigures } from './chat-terminal.ts';
import type { TurnRunner } from './turn-runner.ts';

export type ChatSessionOptions = {
  runtime: Runtime;
  opened: OpenedAgent;
  turns: TurnRunner;
  dialog: BusyDialog;
  ifBusy: IfBusy | undefined;
  style: Style;
  print(text: string): void;
  forgetFigures(what: ForgottenFigures): void;
  leave(): void;
};

/** The session that is open, which other processes may hold, or may have taken elsewhere. */
export interface OpenSession {
  opened(): OpenedAgent;
  openNew(): Promise<OpenedAgent>;
  /** Goes on with this one. */
  use(other: OpenedAgent): void;
  /** Whether the chat can go on: with the session, read anew, or with a branch of it. */
  settle(sessionId: string): Promise<boolean>;
  /** Undefined where the session is held and the person wants neither to wait nor to branch. */
  whenFree<Value>(task: (agent: OpenedAgent['agent']) => Promise<Value>): Promise<Value | undefined>;
}

export function createOpenSession(options: ChatSessionOptions): OpenSession {
  const { runtime, print, style } = options;
  const { store } = runtime;
  let { opened } = options;

  async function settle(sessionId: string): Promise<boolean> {
    const outcome = await chooseOutcome(options, sessionId);
    if (outcome === 'leave') options.leave();
    if (outcome === 'leave' || outcome === 'back') return false;
    const branch =
      outcome === 'branch' ? await branchSession({ store, clock: systemClock }, sessionId, 'cli') : undefined;
    const { choices } = opened;
    opened = carryOver(opened, await runtime.openAgent({ session: { resume: branch?.id ?? sessionId }, choices }));
    if (branch !== undefined) print(describeBranch(branch.id, branch.title));
    return true;
  }

  /** Where another process compressed the session, it goes on elsewhere. */
  async function follow(): Promise<void> {
    const newest = await store.newestInLineage(opened.agent.sessionId);
    if (newest === undefined || newest.id === opened.agent.sessionId) return;
    opened = carryOver(opened, await runtime.openAgent({ session: { resume: newest.id }, choices: opened.choices }));
    print(style.dim(`The session was compressed elsewhere and goes on as ${newest.id}.\n`));
  }

  return {
    opened: () => opened,
    async openNew() {
      opened = await runtime.openAgent();
      return opened;
    },
    use(other) {
      opened = other;
    },
    settle,
    async whenFree(task) {
      for (;;) {
        await follow();
        try {
          return await task(opened.agent);
        } catch (thrown) {
          if (!(thrown instanceof SessionHeld) || options.ifBusy === 'fail') throw thrown;
          if (!(await settle(thrown.sessionId))) return undefined;
        }
      }
    },
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
