import { HermesError, newId } from '../../../base/index.ts';
import type { ChatTarget, ClaimedChat, Fill } from '../../../contracts/index.ts';
import type { AgentBlueprint, Runtime } from '../../../runtime/index.ts';
import { type BackgroundRuns, createBackgroundRuns } from '../../slash/index.ts';

export type ChatBackgroundOptions = {
  runtime: Runtime;
  blueprint(chat: ClaimedChat): Promise<AgentBlueprint>;
  /** Stores a message for the chat. */
  tell(chat: ClaimedChat, message: { id: string; text: string; target: ChatTarget }): Promise<void>;
};

/** The background turns of all chats. Their answers go to the chat and thread in which they were started. */
export interface ChatBackground {
  of(chat: ClaimedChat, target: ChatTarget): BackgroundRuns;
  listFills(): Fill[];
  /** Stops all turns and tells their chats. */
  close(): Promise<void>;
}

/** Finished turns are listed until so many chats have some. */
const MAX_CHATS = 100;
/** So many background turns run at the same time, over all chats. */
const MAX_RUNNING = 20;

export function createChatBackground({ runtime, blueprint, tell }: ChatBackgroundOptions): ChatBackground {
  const { clock, logger } = runtime;
  const chats = new Map<string, { chat: ClaimedChat; target: ChatTarget; runs: BackgroundRuns }>();

  function open(chat: ClaimedChat, target: ChatTarget): BackgroundRuns {
    const say = (text: string) => {
      tell(chat, { id: newId('background'), text, target }).catch((thrown: unknown) =>
        logger.error('could not store the answer of a background turn', { key: chat.key }, thrown),
      );
    };
    const runs = createBackgroundRuns({
      runtime,
      blueprint: () => blueprint(chat),
      closesSessions: true,
      now: () => clock.now(),
      announce: (text, answer) => say([answer, text.trim()].filter((part) => part !== '').join('\n\n')),
    });
    chats.set(chat.key, { chat, target, runs });
    const idle = [...chats].filter(
      ([key, { runs: other }]) => key !== chat.key && other.list().every(({ ended }) => ended !== undefined),
    );
    for (const [key] of idle.slice(0, Math.max(0, chats.size - MAX_CHATS))) chats.delete(key);
    return runs;
  }

  function countRunning(): number {
    const all = [...chats.values()].flatMap(({ runs }) => runs.list());
    return all.filter(({ ended }) => ended === undefined).length;
  }

  function start(runs: BackgroundRuns, prompt: string) {
    if (countRunning() < MAX_RUNNING) return runs.start(prompt);
    throw new HermesError(`${MAX_RUNNING} background turns are running already.`, {
      hint: 'Wait until one has ended, or stop one with /background stop NUMBER.',
    });
  }

  return {
    of(chat, { replyTo: _, ...target }) {
      const runs = () => chats.get(chat.key)?.runs;
      return {
        start: async (prompt) => start(runs() ?? open(chat, target), prompt),
        list: () => runs()?.list() ?? [],
        stop: (number) => runs()?.stop(number) ?? false,
        close: async () => (await runs()?.close()) ?? [],
      };
    },
    listFills: () => [
      { name: 'chats with background turns', used: chats.size, limit: MAX_CHATS },
      { name: 'running background turns', used: countRunning(), limit: MAX_RUNNING },
    ],
    async close() {
      for (const { chat, target, runs } of chats.values()) {
        for (const { number, sessionId } of await runs.close()) {
          const text = `The gateway was stopped, and background turn ${number} with it. Use /resume ${sessionId} to continue it.`;
          await tell(chat, { id: newId('background'), text, target });
        }
      }
    },
  };
}
