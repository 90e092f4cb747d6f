import type { AttachedFile, RunResult } from '../../../base/index.ts';
import { findHolder, leaveSession, SessionHeld } from '../../../runtime/index.ts';
import type { Compressed, SlashSession } from '../../slash/index.ts';
import { type ChatSessionOptions, createOpenSession } from './open-session.ts';
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

  return {
    id: () => session.opened().agent.sessionId,
    opened: session.opened,
    async begin() {
      const { resumed } = session.opened();
      const holder = resumed && (await findHolder(store, resumed.id));
      if (resumed !== undefined && holder !== undefined) {
        if (options.ifBusy === 'fail') throw new SessionHeld(resumed.id, holder);
        await session.settle(resumed.id);
      }
      print(await recapOf(runtime, session.opened(), style));
    },
    runTurn: (text, attachments, sent) => session.whenFree((agent) => turns.run(agent, text, attachments, sent)),
    async compress(request) {
      let report: Compressed = 'held';
      await session.whenFree(async (agent) => {
        report = await turns.compress(agent, request);
      });
      return report;
    },
    async startNew() {
      await close('new_session');
      return (await session.openNew()).models;
    },
    close,
  };
}
