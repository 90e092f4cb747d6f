import { nearestNames } from '../../../util/index.ts';
import type { Style } from '../style.ts';

/** What slash commands can do to a chat. */
export interface ChatControls {
  print(text: string): void;
  newSession(): Promise<void>;
  listSessions(): Promise<void>;
  /** A command about the model of the session: shows it, or changes it. */
  changeModel(command: ModelCommandName, argument: string): Promise<void>;
  /** Shows the title of the session, or gives it another. */
  title(text: string): Promise<void>;
  /** Makes the conversation smaller, or shows what that would save. */
  compress(argument: string): Promise<void>;
  /** The system prompt is built anew with the next message. */
  reload(): void;
  /** Shows what the session has used. */
  usage(): Promise<void>;
  /** Shows what was done and spent, in all sessions. */
  insights(argument: string): Promise<void>;
  /** Shows what this chat is, and where. */
  status(): Promise<void>;
  /** Shows what fills the window. */
  context(): Promise<void>;
  /** Puts an answer on the clipboard. */
  copy(argument: string): Promise<void>;
  /** Shows what is attached to the next message, or attaches a file. */
  attach(path: string): Promise<void>;
  listSkills(): Promise<void>;
  /** Sends a line that calls a skill; false where there is none of this name. */
  callSkill(line: string): Promise<boolean>;
  skillNames(): Promise<readonly string[]>;
  /** Shows what is remembered. */
  memory(): Promise<void>;
  leave(): void;
}

export type ModelCommandName = 'model' | 'reasoning' | 'fast';

type SlashCommand = {
  name: string;
  aliases?: readonly string[];
  about: string;
  run(chat: ChatControls, argument: string): Promise<void> | void;
};

const COMMANDS: readonly SlashCommand[] = [
  { name: 'help', aliases: ['?'], about: 'show these commands', run: (chat) => chat.print(helpText()) },
  { name: 'new', about: 'begin a new session', run: (chat) => chat.newSession() },
  { name: 'sessions', about: 'show the newest sessions', run: (chat) => chat.listSessions() },
  {
    name: 'title',
    about: 'show the title; /title TEXT gives one',
    run: (chat, text) => chat.title(text),
  },
  {
    name: 'compress',
    aliases: ['compact'],
    about: 'make the conversation smaller; /compress TOPIC dwells on it, --preview only shows what it saves',
    run: (chat, argument) => chat.compress(argument),
  },
  {
    name: 'model',
    about: 'show the model; /model [PROVIDER] NAME changes it, --save for good',
    run: (chat, argument) => chat.changeModel('model', argument),
  },
  {
    name: 'reasoning',
    about: 'show how much it thinks; /reasoning LEVEL changes it',
    run: (chat, argument) => chat.changeModel('reasoning', argument),
  },
  {
    name: 'fast',
    about: 'show whether answers are bought faster; /fast on or off',
    run: (chat, argument) => chat.changeModel('fast', argument),
  },
  { name: 'usage', about: 'show tokens, cache hits and cost of this session', run: (chat) => chat.usage() },
  { name: 'context', about: 'show what fills the window: prompt, tools, history', run: (chat) => chat.context() },
  { name: 'status', about: 'show session, model and folders of this chat', run: (chat) => chat.status() },
  {
    name: 'insights',
    about: 'show what was done and spent in 30 days; /insights DAYS for others',
    run: (chat, days) => chat.insights(days),
  },
  {
    name: 'copy',
    about: 'copy the last answer; /copy 2 the one before it',
    run: (chat, back) => chat.copy(back),
  },
  {
    name: 'reload',
    about: 'build the system prompt anew from its files, with the next message',
    run: (chat) => chat.reload(),
  },
  {
    name: 'image',
    aliases: ['attach'],
    about: 'attach an image or a PDF file to the next message: /image PATH',
    run: (chat, path) => chat.attach(path),
  },
  {
    name: 'skills',
    about: 'show the skills; /NAME, with words behind it, works by one',
    run: (chat) => chat.listSkills(),
  },
  { name: 'memory', about: 'show what is remembered across sessions', run: (chat) => chat.memory() },
  { name: 'stop', about: 'interrupt the turn that runs', run: (chat) => chat.print('No turn is running.\n') },
  { name: 'quit', aliases: ['exit', 'q'], about: 'leave', run: (chat) => chat.leave() },
];

/** The commands there are, for whoever completes them. */
export function listSlashCommands(): { value: string; about: string }[] {
  return COMMANDS.map(({ name, about }) => ({ value: name, about }));
}

export function isSlashCommand(line: string): boolean {
  // A path such as /etc/hosts is not a command. Skills have digits, hyphens and dots in their names.
  return /^\/(?:\?|[a-z0-9][a-z0-9._-]*)(?:\s|$)/i.test(line);
}

/** The one command that a running turn does not make wait. */
export function isStop(line: string): boolean {
  return isSlashCommand(line) && nameIn(line) === 'stop';
}

export async function runSlashCommand(line: string, chat: ChatControls, style: Style): Promise<void> {
  const name = nameIn(line);
  const command = COMMANDS.find((candidate) => candidate.name === name || candidate.aliases?.includes(name));
  if (command) await command.run(chat, line.slice(1 + name.length).trim());
  else if (!(await chat.callSkill(line))) {
    const near = await nearestTo(name, chat);
    const perhaps = near.length === 0 ? '/help and /skills show what there is' : `perhaps ${near.join(' or ')}?`;
    chat.print(style.yellow(`There is no command or skill /${name}; ${perhaps}\n`));
  }
}

const MOST_SUGGESTIONS = 3;

/** What was perhaps meant. Commands come before skills, which a line may call by the same few letters. */
async function nearestTo(name: string, chat: ChatControls): Promise<string[]> {
  const commands = COMMANDS.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  // A single letter is in nearly every name.
  const names = [...commands, ...(await chat.skillNames())].filter((known) => known.length > 1);
  return nearestNames(name, names, MOST_SUGGESTIONS).map((near) => `/${near}`);
}

function nameIn(line: string): string {
  return line.slice(1).split(/\s/, 1)[0]?.toLowerCase() ?? '';
}

function helpText(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const lines = COMMANDS.map((command) => `  /${command.name.padEnd(width)}  ${command.about}`);
  const keys = '  Ctrl-C interrupts a turn, twice leaves. What is typed during a turn is handed on.';
  return `${[...lines, keys].join('\n')}\n`;
}
