import type { Actor, JsonObject } from '../../../base/index.ts';
import type { ClaimedChat } from '../../../contracts/index.ts';
import type { Conversation, ConversationTurn } from '../../../conversations/index.ts';
import type { GatewayHooks } from './gateway-hooks.ts';

/** The fields that the events of a chat have in common, with the names of the original. */
type ChatFields = { platform: string; user_id: string; session_key: string };

/** Texts in events are shortened to this length, as in the original. */
const MAX_TEXT = 500;

type Opened = { conversation: Conversation; chat: ClaimedChat; session: { isNew: boolean } };

/** Emits the events of a chat and its turns. */
export function observeChat(hooks: GatewayHooks | undefined, { conversation, chat, session }: Opened): Conversation {
  const { account, source } = chat.conversation;
  if (hooks === undefined) return conversation;
  const fields = {
    platform: account.slice(0, account.indexOf(':')),
    user_id: typeof source['userId'] === 'string' ? source['userId'] : '',
    session_key: chat.key,
  };
  if (session.isNew) hooks.emit('session:start', { ...fields, session_id: conversation.sessionId });
  return observeTurns(conversation, fields, hooks);
}

/** Emits the event of a slash command. */
export function emitCommand(hooks: GatewayHooks | undefined, line: string, { id }: Actor): void {
  const [, command = '', args = ''] = /^\/(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
  const at = id.indexOf(':');
  const who = { platform: id.slice(0, at), user_id: id.slice(at + 1) };
  hooks?.emit(`command:${command.toLowerCase()}`, { ...who, command: command.toLowerCase(), args });
}

/** Emits the events of the turns that are sent to a conversation. */
function observeTurns(conversation: Conversation, fields: ChatFields, hooks: GatewayHooks): Conversation {
  const { platform, user_id } = fields;
  return {
    ...conversation,
    // Getters, because a spread would copy their current values.
    get sessionId() {
      return conversation.sessionId;
    },
    send(message, actor) {
      const sent = conversation.send(message, actor);
      if (sent.outcome !== 'started') return sent;
      const common = { platform, user_id, session_id: conversation.sessionId, message: shorten(message.text) };
      hooks.emit('agent:start', common);
      void followTurn(sent.turn, common, hooks);
      return sent;
    },
    async reset() {
      hooks.emit('session:end', { ...fields, session_id: conversation.sessionId });
      await conversation.reset();
      hooks.emit('session:reset', { ...fields, session_id: conversation.sessionId });
      hooks.emit('session:start', { ...fields, session_id: conversation.sessionId });
    },
  };
}

async function followTurn(turn: ConversationTurn, common: JsonObject, hooks: GatewayHooks): Promise<void> {
  let [iteration, tools] = [0, [] as string[]];
  try {
    for await (const event of turn) {
      if (event.type === 'tool-started') tools.push(event.name);
      if (event.type !== 'step-finished') continue;
      iteration += 1;
      hooks.emit('agent:step', { ...common, iteration, tool_names: tools });
      tools = [];
    }
    const { finalResponse } = await turn.result;
    hooks.emit('agent:end', { ...common, response: shorten(finalResponse) });
  } catch {
    // The turn did not start, which is no event of the original.
  }
}

function shorten(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}
