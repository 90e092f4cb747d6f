import type { Agent } from '../../../agent/index.ts';
import { type AttachedFile, type RunResult, systemClock } from '../../../base/index.ts';
import { branchSession, carryOver, findHolder, leaveSession, SessionHeld } from '../../../runtime/index.ts';
import type { SlashSession } from '../../slash/index.ts';
import { type ChatSessionOptions, createOpenSession, type OpenSession } from './open-session.ts';
import { recapOf } from './chat-text.ts';

/** The session a chat is about. It changes where the person begins a new one, or branches off a held one. */
export interface ChatSession extends SlashSession {
  /** Shows what a resumed session was about; one that another process holds is asked about first. */
  begin(): Promise<void>;
  /** Undefined where the session is held and the person wants neither to wait nor to branch. */
  runTurn(text: string, attachments: readonly AttachedFile[], sent?: string): Promise<RunResult | undefined>;
  /** Marks it as ended; the id, or undefined where nothing was stored. */
  close(reason: string): Promise<string | undefined>;
}

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { runtime, turns, print, style } = options;
  const { store } = runtime;
  const session = createOpenSession(options);

  async function close(reason: string): Promise<string | undefined> {
    const { sessionId } = session.opened().agent;
    return (await leaveSession(store, sessionId, reason)) ? sessionId : undefined;
  }

  async function begin(): Promise<void> {
    const { resumed } = session.opened();
    const holder = resumed && (await findHolder(store, resumed.id));
    if (resumed !== undefined && holder !== undefined) {
      if (options.ifBusy === 'fail') throw new SessionHeld(resumed.id, holder);
      await session.settle(resumed.id);
    }
    print(await recapOf(runtime, session.opened(), style));
  }

  return {
    id: () => session.opened().agent.sessionId,
    opened: session.opened,
    begin,
    ...createChanges(options, session),
    async goTo(reference) {
      const other = await runtime.openAgent({ session: { resume: reference } });
      if (other.resumed?.id === session.opened().agent.sessionId) return 'same';
      await close('switched');
      session.use(other);
      options.forgetFigures('session');
      await begin();
      return 'other';
    },
    async reopen() {
      const { agent, choices } = session.opened();
      const isStored = (await store.getSession(agent.sessionId)) !== undefined;
      const opened = await runtime.openAgent({ session: isStored ? { resume: agent.sessionId } : {}, choices });
      session.use(carryOver(session.opened(), opened));
    },
    async branch() {
      const { sessionId } = session.opened().agent;
      const source = (await store.getSession(sessionId))?.source;
      if (source === undefined) return undefined;
      const branch = await branchSession({ store, clock: systemClock }, sessionId, source);
      const choices = { ...session.opened().choices };
      const opened = await runtime.openAgent({ session: { resume: branch.id }, choices });
      await close('branched');
      session.use(carryOver(session.opened(), opened));
      return branch;
    },
    runTurn: (text, attachments, sent) => session.whenFree((agent) => turns.run(agent, text, attachments, sent)),
    async startNew() {
      await close('new_session');
      options.forgetFigures('session');
      return (await session.openNew()).models;
    },
    close,
  };
}

/** What is done to the conversation between two turns. */
function createChanges(
  { runtime, turns, forgetFigures }: ChatSessionOptions,
  session: OpenSession,
): Pick<ChatSession, 'compress' | 'undo' | 'redo'> {
  /** `held` where another process works on the session, and the person wants neither to wait nor to branch. */
  async function between<Value>(task: (agent: Agent) => Promise<Value>): Promise<Value | 'held'> {
    const done = await session.whenFree(async (agent) => ({ value: await task(agent) }));
    return done === undefined ? 'held' : done.value;
  }
  const held = <Value>(task: (agent: Agent, storedChanged: boolean) => Promise<Value>) =>
    between((agent) =>
      runtime.turns.run(agent.sessionId, runtime.blueprint.surface, ({ storedChanged }) => task(agent, storedChanged)),
    );
  /** After a change the window is as full as nobody has counted yet; a string or nothing says that there was none. */
  async function noted<Value>(change: Promise<Value>): Promise<Value> {
    const done = await change;
    if (done && typeof done !== 'string') forgetFigures('context');
    return done;
  }
  return {
    compress(request) {
      const report = between((agent) => turns.compress(agent, request));
      return request.previewOnly ? report : noted(report);
    },
    undo: (count) => noted(held((agent, storedChanged) => agent.undo({ turns: count, storedChanged }))),
    redo: () => noted(held((agent, storedChanged) => agent.redo({ storedChanged }))),
  };
}
