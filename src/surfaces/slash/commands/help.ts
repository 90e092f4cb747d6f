import { nearestNames } from '../../../util/index.ts';
import { GROUP_HEADINGS, type SlashCommand } from '../slash-command.ts';
import type { SlashContext } from '../slash-context.ts';

const DURING: Readonly<Record<SlashCommand['duringTurn'], string>> = {
  'at once': 'While a turn runs it is done at once.',
  afterwards: 'While a turn runs it waits for the end of it.',
  refused: 'While a turn runs it is refused; /stop ends the turn.',
};

/** `/help` and `/help COMMAND`. */
export function helpCommand({ registry, surface, style, print }: SlashContext, argument: string): void {
  const commands = registry.listCommands(surface);
  if (argument === '') return print(formatHelp(commands, style.bold));
  const name = argument.replace(/^\//, '').toLowerCase();
  const command = registry.find(name, surface);
  if (command !== undefined) return print(formatCommand(command));
  const [near] = nearestNames(
    name,
    commands.map((one) => one.name).filter(({ length }) => length > 1),
    1,
  );
  print(
    style.yellow(`There is no command /${name}${near === undefined ? '; /help shows all' : `; perhaps /${near}?`}\n`),
  );
}

function formatHelp(commands: readonly SlashCommand[], bold: (text: string) => string): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const parts = Object.entries(GROUP_HEADINGS).flatMap(([group, heading]) => {
    const own = commands.filter((command) => command.group === group);
    if (own.length === 0) return [];
    const lines = own.map((command) => `  /${command.name.padEnd(width)}  ${command.about}\n`);
    return [`${bold(heading)}\n${lines.join('')}`];
  });
  const more = '/help COMMAND says more about one. Every skill is a command too: /skills shows them.\n';
  const keys = 'Ctrl-C interrupts a turn, twice leaves. What is typed during a turn is handed on.\n';
  return `${parts.join('')}${more}${keys}`;
}

function formatCommand(command: SlashCommand): string {
  const { name, aliases = [], about, argument, examples = [], duringTurn } = command;
  const head = `/${name}${argument === undefined ? '' : ` ${argument}`}`;
  const also = aliases.length === 0 ? '' : `Also: ${aliases.map((alias) => `/${alias}`).join(', ')}\n`;
  const width = Math.max(0, ...examples.map(({ line }) => line.length));
  const lines = examples.map(({ line, does }) => `  ${line.padEnd(width)}  ${does}\n`);
  return `${head}\n  ${about}\n${also}${lines.length === 0 ? '' : `For example:\n${lines.join('')}`}${DURING[duringTurn]}\n`;
}
