import { resolve } from 'node:path';
import type { Actor } from '../../../base/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { BackgroundRuns, SlashContext, SlashRegistry, SlashTerminal } from '../../slash/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { Style } from '../style.ts';
import { VERSION } from '../version.ts';
import type { ChatSession } from './chat-session.ts';
import type { Follow } from './follow.ts';
import type { LineQueue } from './line-queue.ts';
import type { TurnRunner } from './turn-runner.ts';
import type { PendingAttachments } from './pending-attachments.ts';

type ContextParts = {
  actor: Actor;
  registry: SlashRegistry;
  runtime: Runtime;
  session: ChatSession;
  turns: TurnRunner;
  files: PendingAttachments;
  lines: LineQueue;
  background: BackgroundRuns;
  display: SlashTerminal['display'];
  io: CliIo;
  style: Style;
  print(text: string): void;
  send(text: string, sent?: string): Promise<void>;
  restoreInput(text: string): void;
  ask: SlashTerminal['ask'];
  pick: SlashTerminal['pick'];
  setTheme: SlashTerminal['setTheme'];
  printConversation: SlashTerminal['printConversation'];
  follow: Follow;
  leave(): void;
};

const DEFAULT_ROWS = 40;

/** The context of slash commands in a terminal chat. */
export function createChatContext(parts: ContextParts): SlashContext {
  const { session, turns, files, io, lines } = parts;
  return {
    surface: 'terminal',
    actor: parts.actor,
    registry: parts.registry,
    runtime: parts.runtime,
    style: parts.style,
    workingDirectory: parts.runtime.blueprint.workingDirectory,
    version: VERSION,
    get columns() {
      return io.stdout.columns;
    },
    print: parts.print,
    session,
    turns: {
      isRunning: turns.isRunning,
      send: parts.send,
      restoreInput: parts.restoreInput,
      attach: files.add,
      interrupt: () => turns.interrupt(),
      steer: turns.steer,
      queue: lines.push,
      queued: lines.queued,
      lastCall: () => turns.lastCall(session.id()),
    },
    background: parts.background,
    terminal: {
      ask: parts.ask,
      printConversation: parts.printConversation,
      follow: parts.follow.run,
      ...(parts.pick && { pick: parts.pick }),
      ...(parts.setTheme && { setTheme: parts.setTheme }),
      display: parts.display,
      // Scrolls the screen instead of clearing it, so that the scroll-back keeps everything.
      clearScreen: () => parts.print('\n'.repeat(io.stdout.rows ?? DEFAULT_ROWS)),
      attach: files.runImageCommand,
      // Loaded on demand, because most chats never copy anything.
      copy: async (text) => (await import('./clipboard.ts')).copyText(text, io),
      save: (sessionId, file) => saveSession(parts, sessionId, file),
      leave: parts.leave,
    },
  };
}

async function saveSession({ runtime, io }: ContextParts, sessionId: string, file: string): Promise<string> {
  const { exportToFile } = await import('../sessions/export/export.ts');
  const path = resolve(io.workingDirectory, file);
  await exportToFile(runtime.store, sessionId, path);
  return path;
}
