import { SLASH_COMMANDS } from '../../src/surfaces/slash/index.ts';
import { GROUP_HEADINGS } from '../../src/surfaces/slash/slash-command.ts';
import { code, page, table } from './markdown.mjs';

const NOTES =
  'A line that starts with `/` is a command, unless it is a path. `/NAME` with the name of a skill invokes the skill. An unknown command is answered with similar ones.';

const DURING_TURN = { immediately: 'immediately', afterwards: 'after the turn', refused: 'refused' };

export function slashCommandsPage(commands = SLASH_COMMANDS) {
  const sections = Object.entries(GROUP_HEADINGS).flatMap(([group, heading]) => {
    const members = commands.filter((command) => command.group === group);
    const columns = ['command', 'also', 'description', 'during a turn', 'example'];
    return members.length === 0 ? [] : [`## ${heading}`, table(columns, members.map(toRow))];
  });
  return page('Slash commands', NOTES, ...sections);
}

function toRow({ name, argument = '', aliases = [], about, examples = [], surfaces, duringTurn }) {
  const where = surfaces === undefined ? '' : ` (${surfaces.join(', ')})`;
  const shown = examples.map(({ line, does }) => `${code(line)}: ${does}`).join('; ');
  return [
    code(`/${name} ${argument}`.trimEnd()),
    aliases.map((alias) => code(`/${alias}`)).join(', '),
    `${about}${where}`,
    DURING_TURN[duringTurn],
    shown,
  ];
}
