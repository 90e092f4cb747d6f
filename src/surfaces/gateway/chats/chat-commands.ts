import { type Actor, HermesError } from '../../../base/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { SlashContext, SlashRegistry, SlashSession } from '../../slash/index.ts';
import type { Style } from '../../text/style.ts';
import type { CommandResult } from './chat-worker.ts';

const keep = (text: string) => text;
/** Chats have no colours. */
const PLAIN: Style = { bold: keep, dim: keep, red: keep, green: keep, yellow: keep, cyan: keep };

export type ChatCommandOptions = { runtime: Runtime; registry: SlashRegistry; version: string };

/** Runs a slash command in a chat. A skill does not run immediately: its text becomes the message of the next turn. */
export async function runChatCommand(
  { runtime, registry, version }: ChatCommandOptions,
  line: string,
  { actor, conversation }: { actor: Actor; conversation: Conversation },
): Promise<CommandResult> {
  let printed = '';
  let sent: string | undefined;
  const context: SlashContext = {
    surface: 'gateway',
    actor,
    registry,
    runtime,
    style: PLAIN,
    workingDirectory: runtime.blueprint.workingDirectory,
    version,
    print: (text) => void (printed += text),
    session: sessionOf(conversation),
    turns: {
      isRunning: () => conversation.currentTurn() !== undefined,
      async send(text, instead) {
        sent = instead ?? text;
      },
      restoreInput: () => undefined,
      attach: () => undefined,
      interrupt: () => void conversation.interrupt(),
      steer: conversation.steer,
      queue(text) {
        sent = text;
      },
      queued: () => [],
      lastCall: () => undefined,
    },
  };
  if (registry.duringTurn(line, 'gateway') === 'refused' && context.turns.isRunning())
    throw new HermesError('This command is not possible while a turn is running. Send /stop first.');
  await registry.runSlashCommand(line, context);
  return sent === undefined ? { printed: printed.trim() === '' ? 'Done.' : printed.trim() } : { sent };
}

function sessionOf(conversation: Conversation): SlashSession {
  return {
    id: () => conversation.sessionId,
    opened: conversation.opened,
    compress: (request) => conversation.compress(request),
    undo: conversation.undo,
    redo: conversation.redo,
    branch: conversation.branch,
    switchTo: conversation.switchTo,
    reopen: conversation.reopen,
    async startNew() {
      await conversation.reset();
      return conversation.opened().models;
    },
  };
}
