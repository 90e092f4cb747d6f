import { type Actor, hasRole, HermesError } from '../../../base/index.ts';
import { updateConfig } from '../../../config/index.ts';
import type { ChatSource } from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import {
  type BackgroundRuns,
  parseSlashLine,
  type SlashChat,
  type SlashCommand,
  type SlashContext,
  type SlashRegistry,
  type SlashSession,
} from '../../slash/index.ts';
import type { Style } from '../../text/style.ts';
import type { AccountStatus } from '../accounts/account-runner.ts';
import { type AccessRules, isForUsers } from '../people/access.ts';
import type { CommandResult } from './turn-messages.ts';

const keep = (text: string) => text;
/** Chats have no colours. */
export const PLAIN: Style = { bold: keep, dim: keep, red: keep, green: keep, yellow: keep, cyan: keep };

export type ChatCommandOptions = {
  runtime: Runtime;
  registry: SlashRegistry;
  version: string;
  /** By platform. */
  access: ReadonlyMap<string, AccessRules>;
  accounts(): readonly AccountStatus[];
};

/** A command and where it comes from. */
export type ChatCommandCall = {
  line: string;
  actor: Actor;
  source: ChatSource;
  conversation: Conversation;
  background: BackgroundRuns;
  /** Interrupts what the chat does, also if that is not a turn yet. */
  interrupt(): void;
};

/** Commands of the original that do not exist in chats, and what to do instead. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['btw', 'Use /background to ask something outside this conversation.'],
  ['debug', 'Run `hermes doctor` on the machine on which Hermes runs.'],
  ['plan', 'Use the skill /plan-change.'],
  ['restart', 'Restart `hermes gateway run` on the machine on which it runs. No message is lost.'],
  ['snapshot', 'Run `hermes backup` on the machine on which Hermes runs.'],
  ['update', 'Install the new version on the machine on which Hermes runs, and restart the gateway.'],
  ['voice', 'Spoken answers are not supported yet.'],
]);

/** Runs a slash command in a chat. A skill does not run immediately: its text becomes the message of the next turn. */
export async function runChatCommand(options: ChatCommandOptions, call: ChatCommandCall): Promise<CommandResult> {
  const { runtime, version } = options;
  const { line, actor, conversation, background } = call;
  const registry = gate(options, call);
  let printed = '';
  let result: CommandResult | undefined;
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
    background,
    chat: chatOf(options, call),
    turns: {
      isRunning: () => conversation.currentTurn() !== undefined,
      async send(text, sent) {
        // Only /retry sends a text that was sent before.
        result = { text, sent, isComposed: registry.find(parseSlashLine(line).name, 'gateway')?.name === 'retry' };
      },
      restoreInput: () => undefined,
      attach: () => undefined,
      interrupt: call.interrupt,
      steer(text) {
        if (conversation.currentTurn() === undefined) return false;
        result = { text, steers: true };
        return true;
      },
      queue(text) {
        result = { text };
      },
      queued: () => [],
      lastCall: () => undefined,
    },
  };
  if (registry.duringTurn(line, 'gateway') === 'refused' && context.turns.isRunning())
    throw new HermesError('This command is not possible while a turn is running. Send /stop first.');
  await registry.runSlashCommand(line, context);
  return result ?? { printed: printed.trim() === '' ? 'Done.' : printed.trim() };
}

/** Whether a command has no effects, so that it may run again after a crash. A skill only prepares a turn. */
export function mayRunAgain(registry: SlashRegistry, line: string): boolean {
  const { name } = parseSlashLine(line);
  const command = registry.find(name, 'gateway');
  return command === undefined || command.onlyReads === true;
}

/**
 * The registry as the sender of a command sees it. Everything that a line can run passes here: built-in commands, quick
 * commands, commands of plugins, skills, and lines that other commands run again. Only admins may abbreviate names,
 * because an abbreviation can mean a command or a skill.
 */
function gate({ registry, access }: ChatCommandOptions, { actor, source }: ChatCommandCall): SlashRegistry {
  const rules = access.get(source.platform);
  const isAdmin = hasRole(actor, 'admin');
  const namesOf = ({ name, aliases = [] }: SlashCommand) => [name, ...aliases];
  const mayRun = (name: string) => {
    const command = registry.find(name, 'gateway');
    const names = command !== undefined && namesOf(command).includes(name) ? namesOf(command) : [name];
    return isAdmin || (rules !== undefined && names.some((each) => isForUsers(each, source, rules)));
  };
  const isOffered = (command: SlashCommand) => mayRun(command.name) && hasRole(actor, command.requiredRole ?? 'user');
  return {
    ...registry,
    listCommands: (surface) => registry.listCommands(surface).filter(isOffered),
    async runSlashCommand(line, context) {
      const { name } = parseSlashLine(line);
      if (!mayRun(name)) throw new HermesError(`Only an admin may use /${name} here.`);
      const instead = registry.find(name, 'gateway') === undefined ? ELSEWHERE.get(name) : undefined;
      if (instead !== undefined) return context.print(`/${name} is not available in a chat. ${instead}`);
      return registry.runSlashCommand(line, context);
    },
  };
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

function chatOf({ runtime, accounts }: ChatCommandOptions, { source }: ChatCommandCall): SlashChat {
  const { platform, chatType, chatId, threadId, userId, userName, chatName } = source;
  return {
    describe() {
      const all = { platform, user: userId, name: userName, chat: chatId, type: chatType, thread: threadId };
      return Object.entries(all).flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
    },
    platforms: () =>
      accounts().map(({ platform: name, account, state, error }) => [
        account ?? name,
        error === undefined ? state : `${state}: ${error}`,
      ]),
    async makeHome() {
      const home = { platform, chat_id: chatId, name: chatName ?? userName ?? chatId };
      await updateConfig(runtime.blueprint.settings.home, [
        ...Object.entries(home).map(([key, value]) => ({ path: ['platforms', platform, 'home_channel', key], value })),
        // The original reads this key.
        { path: [`${platform.toUpperCase()}_HOME_CHANNEL`], value: chatId },
      ]);
      return chatId;
    },
  };
}
