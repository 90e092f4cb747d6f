import { type Actor, hasRole, HermesError } from '../../../base/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { SlashContext, SlashRegistry, SlashSession } from '../../slash/index.ts';
import type { Style } from '../../text/style.ts';
import type { CommandResult } from './chat-worker.ts';

const keep = (text: string) => text;
/** Chats have no colours. */
const PLAIN: Style = { bold: keep, dim: keep, red: keep, green: keep, yellow: keep, cyan: keep };

export type ChatCommandOptions = { runtime: Runtime; registry: SlashRegistry; version: string };

/** What users who are not admins may run. Everything else may show or change what belongs to the owner. */
const FOR_USERS: ReadonlySet<string> = new Set([
  'help',
  'status',
  'new',
  'stop',
  'retry',
  'undo',
  'redo',
  'title',
  'usage',
  'compress',
  'steer',
  'queue',
]);

/** Runs a slash command in a chat. A skill does not run immediately: its text becomes the message of the next turn. */
export async function runChatCommand(
  { runtime, registry, version }: ChatCommandOptions,
  line: string,
  { actor, conversation }: { actor: Actor; conversation: Conversation },
): Promise<CommandResult> {
  const name = line.slice(1).split(/\s/, 1)[0]?.toLowerCase() ?? '';
  if (!hasRole(actor, 'admin') && !FOR_USERS.has(registry.find(name, 'gateway')?.name ?? name))
    throw new HermesError(`Only an admin may use /${name} here.`);
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
