import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { HermesError, OWNER } from '../../base/index.ts';
import type { Conversation } from '../../conversations/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import type { LastCall, SlashContext, SlashRegistry, SlashSession } from '../slash/index.ts';
import type { Style } from '../text/style.ts';
import { fenced } from './describe-tool-call.ts';

const keep = (text: string) => text;
/** Editors show Markdown, so there are no colours. */
export const PLAIN: Style = { bold: keep, dim: keep, red: keep, green: keep, yellow: keep, cyan: keep };

const COLUMNS = 100;

/** The slash commands and the skills that a session offers. */
export async function listCommands(runtime: Runtime, registry: SlashRegistry): Promise<AvailableCommand[]> {
  const commands = registry.listCommands('acp').map(({ name, about, argument }) => toAvailable(name, about, argument));
  const { skills } = await runtime.skills().inventory();
  const taken = new Set(commands.map(({ name }) => name));
  const offered = skills.filter(({ name }) => !taken.has(name));
  return [...commands, ...offered.map(({ name, description }) => toAvailable(name, description, '[TASK]'))];
}

function toAvailable(name: string, description: string, hint: string | undefined): AvailableCommand {
  return { name, description, ...(hint !== undefined && { input: { hint } }) };
}

export type CommandParts = {
  runtime: Runtime;
  registry: SlashRegistry;
  conversation: Conversation;
  version: string;
  lastCall(): LastCall | undefined;
};

/** What a command printed, and the message that it sends to the model, if it sends one. */
export type CommandOutcome = { printed: string; message?: { text: string; sent?: string } };

/** Runs a slash command or a skill. A message to the model is returned, so that the caller runs its turn. */
export async function runCommand(line: string, parts: CommandParts): Promise<CommandOutcome> {
  const { runtime, registry, conversation, version, lastCall } = parts;
  let printed = '';
  let message: CommandOutcome['message'];
  const send = (text: string, sent?: string) => {
    message = { text, ...(sent !== undefined && { sent }) };
  };
  const context: SlashContext = {
    surface: 'acp',
    actor: OWNER,
    registry,
    runtime,
    style: PLAIN,
    workingDirectory: runtime.blueprint.workingDirectory,
    version,
    columns: COLUMNS,
    print: (text) => void (printed += text),
    session: sessionOf(conversation),
    turns: {
      isRunning: () => false,
      send: async (text, sent) => send(text, sent),
      restoreInput: (text) => void (printed += `The message was:\n${text}\n`),
      attach: () => undefined,
      interrupt: () => undefined,
      steer: () => false,
      queue: (text) => send(text),
      queued: () => [],
      lastCall,
    },
  };
  await registry.runSlashCommand(line, context);
  return { printed: formatOutput(printed), ...(message && { message }) };
}

/** Columns need a code block; a single line does not. */
function formatOutput(printed: string): string {
  const text = printed.trim();
  return text.includes('\n') ? fenced(text) : text;
}

/** The session of a thread stays the same, because the client knows it by its id. */
function sessionOf(conversation: Conversation): SlashSession {
  const impossible = async (): Promise<never> => {
    throw new HermesError('This thread cannot switch to another session.', {
      hint: 'Open that session in the editor.',
    });
  };
  return {
    id: () => conversation.sessionId,
    opened: conversation.opened,
    compress: (request) => conversation.compress(request),
    undo: conversation.undo,
    redo: conversation.redo,
    reopen: conversation.reopen,
    branch: impossible,
    switchTo: impossible,
    startNew: impossible,
  };
}
