import { buildFullProgram } from '../../src/surfaces/cli/commands/table.ts';
import { code, fenced, page, sentence, table } from './markdown.mjs';

/** Every command with its subcommands, in the order of the help. */
export function commandsPage() {
  const program = buildFullProgram();
  const commands = listCommands(program, program.name());
  const contents = commands
    .filter(({ depth }) => depth > 0)
    .map(({ path, depth }) => `${'  '.repeat(depth - 1)}- [${path}](#${anchorOf(path)})`)
    .join('\n');
  const notes =
    'Options follow the command that they belong to. `--help` and `hermes help COMMAND` show the same in the terminal; `--help` itself is omitted below.';
  return page('Commands', notes, contents, ...commands.flatMap(describeCommand));
}

function listCommands(command, path, depth = 0) {
  const children = command.createHelp().visibleCommands(command);
  return [
    { command, path, depth },
    ...children.flatMap((child) => listCommands(child, `${path} ${child.name()}`, depth + 1)),
  ];
}

function describeCommand({ command, path }) {
  const help = command.createHelp();
  const places = help
    .visibleArguments(command)
    .map((argument) => [code(help.argumentTerm(argument)), help.argumentDescription(argument)]);
  const options = help
    .visibleOptions(command)
    .filter((option) => option.long !== '--help')
    .map((option) => [code(option.flags), help.optionDescription(option)]);
  return [
    `## ${path}`,
    sentence(command.description()),
    fenced(`${path} ${command.usage()}`.trimEnd(), 'text'),
    table(['argument', 'meaning'], places),
    table(['option', 'description'], options),
    ...afterHelp(command),
  ];
}

/** The part of the help after the options: notes as text, and examples as code. */
function afterHelp(command) {
  let text = '';
  command.emit('afterHelp', { error: false, command, write: (part) => (text += part) });
  return text
    .split(/\n\s*\n|^\s*\n/)
    .map((block) => block.trimEnd())
    .filter((block) => block.trim() !== '')
    .flatMap((block) => {
      const [first, ...rest] = block.split('\n');
      if (!first.endsWith(':') || rest.length === 0) return [block.replaceAll('\n', ' ').trim()];
      const words = /^Examples?:$/.test(first) ? [] : [first];
      return [...words, fenced(rest.map((line) => line.replace(/^ {2}/, '')).join('\n'), 'sh')];
    });
}

function anchorOf(heading) {
  return heading.toLowerCase().replaceAll(' ', '-');
}
