import type { RunResult } from '../../../base/index.ts';
import { type Conversation, TurnNotStarted, type ConversationMessage } from '../../../conversations/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { SlashSession } from '../../slash/index.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import { loadRecap } from './recap.ts';
import type { TurnRunner } from './turn-runner.ts';

export type ChatSessionOptions = {
  runtime: Runtime;
  conversation: Conversation;
  turns: TurnRunner;
  terminal: Pick<ChatTerminal, 'print' | 'printConversation' | 'resetFigures' | 'style'>;
};

/** The conversation of a chat as its slash commands and its input line use it. */
export interface ChatSession extends SlashSession {
  /** Prints a recap of a resumed session. If another process holds the session, the user decides first what to do. */
  begin(): Promise<void>;
  /** Undefined if the session is held and the user chose neither to wait nor to branch. */
  runTurn(message: ConversationMessage): Promise<RunResult | undefined>;
  /** Marks the session as ended. Returns its id, or undefined if nothing was stored. */
  close(reason: string): Promise<string | undefined>;
}

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { runtime, conversation, turns, terminal } = options;
  const { print, resetFigures } = terminal;

  /** Resets the context figures after a change. An empty or string result means that nothing changed. */
  function noted<Value>(value: Value): Value {
    if (value && typeof value !== 'string') resetFigures('context');
    return value;
  }

  async function begin(): Promise<void> {
    if (conversation.opened().resumed !== undefined) await conversation.ensureFree();
    const recap = await loadRecap(runtime, conversation.opened(), terminal.style);
    if (recap === undefined) return;
    print(terminal.style.dim(recap.heading));
    await terminal.printConversation(recap.exchanges);
    print(recap.notes);
  }

  return {
    id: () => conversation.sessionId,
    opened: conversation.opened,
    begin,
    runTurn: (message) => turns.run(message).catch(returnIfHeld(undefined)),
    async compress(request) {
      if (!(await conversation.ensureFree())) return 'held';
      const report = await turns.work('compressing', (signal) =>
        conversation.compress({ ...request, signal }).catch((thrown: unknown) => {
          if (signal.aborted) return 'stopped' as const;
          throw thrown;
        }),
      );
      return request.previewOnly ? report : noted(report);
    },
    undo: (count) => conversation.undo(count).then(noted, returnIfHeld('held')),
    redo: () => conversation.redo().then(noted, returnIfHeld('held')),
    branch: conversation.branch,
    reopen: conversation.reopen,
    async switchTo(reference) {
      if ((await conversation.switchTo(reference)) === 'same') return 'same';
      resetFigures('session');
      await begin();
      return 'other';
    },
    async startNew() {
      resetFigures('session');
      await conversation.reset();
      return conversation.opened().models;
    },
    close: conversation.endSession,
  };
}

/** Returns the value if another process holds the session and the user does not want to wait; rethrows other errors. */
function returnIfHeld<Value>(value: Value): (thrown: unknown) => Value {
  return (thrown) => {
    if (thrown instanceof TurnNotStarted) return value;
    throw thrown;
  };
}
