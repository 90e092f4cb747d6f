import { callSkill, describeChain, type OpenedAgent, type Runtime } from '../../../runtime/index.ts';
import type { Message } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeSessions } from '../sessions/list.ts';
import { type Style, showable } from '../style.ts';
import type { ChatSession } from './chat-session.ts';
import { describeSkills } from './skill-commands.ts';
import type { ChatControls } from './slash-commands.ts';
import { titleOf } from './title-command.ts';
import type { TurnRunner } from './turn-runner.ts';
import type { WaitingFiles } from './waiting-files.ts';

const SESSIONS_SHOWN = 15;

type ControlParts = {
  runtime: Runtime;
  session: ChatSession;
  turns: TurnRunner;
  files: WaitingFiles;
  io: CliIo;
  style: Style;
  print(text: string): void;
  /** Takes a turn; `sent` goes to the model in the place of the text. */
  send(text: string, sent: string): Promise<void>;
  leave(): void;
};

/** What the slash commands of a chat do. */
export function createChatControls({
  runtime,
  session,
  turns,
  files,
  io,
  style,
  print,
  send,
  leave,
}: ControlParts): ChatControls {
  return {
    ...{ print, compress: session.compress, leave },
    newSession: async () => print(describeNew(await session.startNew())),
    reload: () => print(reloadPrompt(session)),
    listSessions: () => writeSessions(runtime.store, { limit: SESSIONS_SHOWN }, io.stdout),
    changeModel: async (command, argument) => {
      const { runModelCommand } = await import('./model-commands.ts');
      print(await runModelCommand(command, { runtime, opened: session.opened() }, argument));
    },
    title: async (text) => print(await titleOf(runtime.store, session.id(), text)),
    usage: async () => print(await showUsage(runtime, session.opened(), turns)),
    insights: async (argument) =>
      print(await (await import('./insights-command.ts')).insightsOf(argument, runtime.store, style)),
    status: async () => {
      const { statusOf } = await import('./status-command.ts');
      print(await statusOf({ runtime, opened: session.opened(), workingDirectory: io.workingDirectory }));
    },
    context: async () => {
      const { formatContext } = await import('./context-command.ts');
      print(formatContext(await session.opened().reportContext(), turns.lastCall(session.id())));
    },
    copy: async (argument) => {
      const { copyAnswer } = await import('./copy-command.ts');
      print(await copyAnswer(argument, await messagesOf(runtime, session.id()), io));
    },
    skillNames: async () => (await runtime.skills().inventory()).skills.map(({ name }) => name),
    attach: async (path) => print(await files.command(path)),
    listSkills: async () => print(await describeSkills(runtime)),
    async callSkill(line) {
      const sent = await callSkill(runtime.skills(), line);
      if (sent !== undefined) await send(line, sent);
      return sent !== undefined;
    },
    memory: async () => print(await (await import('../memory/show.ts')).memoryText(runtime.settings)),
  };
}

/** None before the first message. */
async function messagesOf({ store }: Runtime, sessionId: string): Promise<readonly Message[]> {
  return (await store.getSession(sessionId)) === undefined ? [] : store.getConversation(sessionId);
}

function describeNew(models: OpenedAgent['models']): string {
  return `A new session has begun, with ${showable(describeChain(models.routes()))}.\n`;
}

function reloadPrompt(session: ChatSession): string {
  session.opened().agent.renewPrompt();
  return 'The system prompt is built anew with the next message.\n';
}

async function showUsage(runtime: Runtime, { agent, models }: OpenedAgent, turns: TurnRunner): Promise<string> {
  const { usageOf } = await import('./usage-command.ts');
  const { sessionId } = agent;
  const lastCall = turns.lastCall(sessionId);
  // A model that cannot be opened has used what it has used.
  const contextLength = lastCall && (await models.openPrimary().catch(() => undefined))?.contextLength;
  return usageOf({ store: runtime.store, sessionId, lastCall, contextLength });
}
