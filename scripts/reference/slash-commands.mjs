import { SLASH_COMMANDS } from '../../src/surfaces/slash/index.ts';
import { code, page, sentence, table } from './markdown.mjs';

const NOTES =
  'A line that begins with `/` is a command, unless it is a path. `/NAME` with the name of a skill works by it. What is not known is answered with the nearest.';

/** Reads name, aliases and about of each command, and group, argument, examples and surfaces where a list has them. */
export function slashCommandsPage(commands = SLASH_COMMANDS) {
  const groups = Map.groupBy(commands, ({ group = '' }) => group);
  const sections = [...groups].flatMap(([group, members]) => [
    group === '' ? '' : `## ${sentence(group).slice(0, -1)}`,
    table(['command', 'also', 'what it does', 'example'], members.map(toRow)),
  ]);
  return page('Slash commands', NOTES, ...sections);
}

function toRow({ name, argument = '', aliases = [], about, examples = [], surfaces }) {
  const where = surfaces === undefined ? '' : ` (${surfaces.join(', ')})`;
  const shown = examples.map(({ line, does }) => `${code(line)}: ${does}`).join('; ');
  return [
    code(`/${name} ${argument}`.trimEnd()),
    aliases.map((alias) => code(`/${alias}`)).join(', '),
    `${about}${where}`,
    shown,
  ];
}
