import type { Message } from '../../../base/index.ts';
import { nearestNames, shorten } from '../../../util/index.ts';
import { printable, type Style } from '../../text/style.ts';
import { GROUP_HEADINGS, type SlashCommand } from '../slash-command.ts';
import { type SlashContext, VERBOSITIES, type Verbosity } from '../slash-context.ts';

const DURING_TURN_TEXTS: Readonly<Record<SlashCommand['duringTurn'], string>> = {
  immediately: 'During a turn it runs immediately.',
  afterwards: 'During a turn it waits until the turn has ended.',
  refused: 'During a turn it is refused; interrupt the turn with /stop first.',
};

/** `/help` and `/help COMMAND`. */
export function helpCommand({ registry, surface, style, print }: SlashContext, argument: string): void {
  const commands = registry.listCommands(surface);
  if (argument === '') return print(formatHelp(commands, surface, style.bold));
  const name = argument.replace(/^\//, '').toLowerCase();
  const command = registry.find(name, surface);
  if (command !== undefined) return print(formatCommand(command));
  const [near] = nearestNames(
    name,
    commands.map((one) => one.name).filter(({ length }) => length > 1),
    1,
  );
  print(
    style.yellow(
      `Unknown command /${name}. ${near === undefined ? 'Use /help to list all commands.' : `Did you mean /${near}?`}\n`,
    ),
  );
}

function formatHelp(
  commands: readonly SlashCommand[],
  surface: SlashContext['surface'],
  bold: (text: string) => string,
): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const parts = Object.entries(GROUP_HEADINGS).flatMap(([group, heading]) => {
    const own = commands.filter((command) => command.group === group);
    if (own.length === 0) return [];
    const lines = own.map((command) => `  /${command.name.padEnd(width)}  ${command.about}\n`);
    return [`${bold(heading)}\n${lines.join('')}`];
  });
  const more = '/help COMMAND shows details of a command. Every skill is a command too: /skills lists them.\n';
  const keys =
    surface === 'terminal'
      ? 'Ctrl-C interrupts a turn; press it twice to exit. Text typed during a turn is passed to the model.\n'
      : '';
  return `${parts.join('')}${more}${keys}`;
}

function formatCommand(command: SlashCommand): string {
  const { name, aliases = [], about, argument, examples = [], duringTurn } = command;
  const head = `/${name}${argument === undefined ? '' : ` ${argument}`}`;
  const also = aliases.length === 0 ? '' : `Also: ${aliases.map((alias) => `/${alias}`).join(', ')}\n`;
  const width = Math.max(0, ...examples.map(({ line }) => line.length));
  const lines = examples.map(({ line, does }) => `  ${line.padEnd(width)}  ${does}\n`);
  return `${head}\n  ${about}\n${also}${lines.length === 0 ? '' : `Examples:\n${lines.join('')}`}${DURING_TURN_TEXTS[duringTurn]}\n`;
}

const DEFAULT_COUNT = 10;
const MAX_MESSAGE_LENGTH = 400;

/** `/history` and `/history N`: shows the last messages as the model sees them. */
export async function historyCommand(context: SlashContext, argument: string): Promise<void> {
  const { style, print } = context;
  const count = argument === '' ? DEFAULT_COUNT : Number(argument);
  if (!Number.isSafeInteger(count) || count < 1)
    return print('Usage: /history [N]. N is the number of messages, for example 30.\n');
  const messages = await conversationOf(context);
  const shown = messages.slice(-count);
  if (shown.length === 0) return print('There are no messages yet.\n');
  const before = messages.length - shown.length;
  if (before > 0) print(style.dim(`(earlier messages: ${before})\n`));
  print(shown.map((message) => formatMessage(message, style)).join(''));
}

function formatMessage(message: Message, style: Style): string {
  const text = shorten(printable(message.content), MAX_MESSAGE_LENGTH);
  if (message.role === 'user') return `${style.cyan('❯')} ${text}\n`;
  if (message.role === 'tool') return style.dim(`  ${printable(message.toolName ?? 'result')}: ${text}\n`);
  const calls = (message.role === 'assistant' ? (message.toolCalls ?? []) : []).map(({ name }) => printable(name));
  const called = calls.length === 0 ? '' : style.dim(`● ${calls.join(', ')}\n`);
  return `${text === '' ? '' : `${text}\n`}${called}`;
}

/** `/copy` and `/copy N`: copies the last or the Nth last answer to the clipboard. */
export async function copyCommand(context: SlashContext, argument: string): Promise<void> {
  const { print, terminal } = context;
  const back = argument === '' ? 1 : Number(argument);
  if (!Number.isSafeInteger(back) || back < 1)
    return print('Usage: /copy [N]. /copy copies the last answer, /copy 2 the one before it.\n');
  const messages = await conversationOf(context);
  const answers = messages.filter((message) => message.role === 'assistant' && message.content.trim() !== '');
  const text = answers.at(-back)?.content.trim();
  if (text === undefined)
    return print(
      answers.length === 0
        ? 'There is no answer yet.\n'
        : `There are not that many answers: ${answers.length} so far.\n`,
    );
  const ways = (await terminal?.copy(text)) ?? [];
  print(
    ways.length === 0
      ? 'Could not copy: no clipboard program was found, and the answer is too long for the terminal.\n'
      : `Copied ${text.length} characters (${ways.join(', ')}).\n`,
  );
}

/** The messages of the session; empty before the first one. */
async function conversationOf({ runtime: { store }, session }: SlashContext): Promise<readonly Message[]> {
  const id = session.id();
  return (await store.getSession(id)) === undefined ? [] : store.getConversation(id);
}

/** `/save` and `/save FILE`: exports the session to a file. */
export async function saveCommand({ runtime, session, terminal, print }: SlashContext, file: string): Promise<void> {
  const id = session.id();
  if ((await runtime.store.getSession(id)) === undefined)
    return print('There is nothing to save yet. The session starts with the first message.\n');
  const path = await terminal?.save(id, file === '' ? `${id}.md` : file);
  if (path !== undefined) print(`Saved to ${printable(path)}.\n`);
}

const VERBOSITY_TEXTS: Readonly<Record<Verbosity, string>> = {
  quiet: 'only answers and problems',
  normal: 'answers and one line per tool call',
  full: 'also reasoning and tool results',
};

/** `/verbose` and `/verbose LEVEL`: sets how much of a turn is shown. */
export function verboseCommand({ terminal, print }: SlashContext, argument: string): void {
  if (terminal === undefined) return;
  const level = VERBOSITIES.find((known) => known === argument.toLowerCase());
  if (argument !== '' && level === undefined) return print(`Unknown level. Use one of: ${VERBOSITIES.join(', ')}.\n`);
  if (level !== undefined) terminal.display.verbosity = level;
  const { verbosity } = terminal.display;
  const how =
    level === undefined
      ? `. Change it with /verbose LEVEL (${VERBOSITIES.join(', ')})`
      : ', starting with the next turn';
  print(`Verbosity is ${verbosity}: ${VERBOSITY_TEXTS[verbosity]}${how}.\n`);
}
