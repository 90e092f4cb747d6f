import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import type { InspectOptions } from './inspect.ts';
import type { InstallOptions } from './install.ts';
import type { SearchOptions } from './search.ts';
import type { TrustOptions } from './trust.ts';

type Json = { json?: boolean };
type Found = (run: CommandRun) => void;

const EXAMPLES = `
A skill is a folder with a SKILL.md. In a chat, /NAME works by one.

Examples:
  hermes skills list
  hermes skills search pdf forms
  hermes skills inspect npm:some-skill
  hermes skills install ./my-skill
  hermes skills install https://example.com/skills.git#v2 --path writing/letters
  hermes skills install npm:some-skill@1.2.0
  hermes skills audit`;

/** The commands about skills. None of them needs a model. */
export function describeSkills(program: Command, found: Found, inFull: boolean): void {
  const skills = program.command('skills').description('see, install, check and remove skills');
  // Describing them costs a start that is about something else.
  if (!inFull) return;
  skills
    .helpCommand(false)
    .option('--json', 'answer with JSON, for any of the commands')
    .addHelpText('after', EXAMPLES);
  describeLooking(skills, found);
  describeChanging(skills, found);
}

function describeLooking(skills: Command, found: Found): void {
  skills
    .command('list')
    .description('show all skills, and why one cannot be used')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes skills list'))
    .action((options: Json) => found(async (io) => (await import('./list.ts')).listSkills(options, io)));
  skills
    .command('search')
    .argument('<words...>', 'what to look for')
    .description('find skills: those that are here, and those that can be installed')
    .option('--here', 'only those that are here; nobody is asked over the network')
    .option('--hub', 'only those that are not here: npm, and skills.indexes of the configuration')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes skills search code review', 'hermes skills search --here review'))
    .action((words: string[], options: SearchOptions) =>
      found(async (io, signal) => (await import('./search.ts')).searchSkills(words, options, io, signal)),
    );
  skills
    .command('inspect')
    .argument('<skill>', 'its name, a folder, or what install would fetch')
    .description('show a skill, a folder with one, or what install would fetch: text, files, and what a scan finds')
    .option('--path <folder>', 'the folder of the skill inside of what is fetched')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes skills inspect code-review', 'hermes skills inspect ./my-skill'))
    .action((name: string, options: InspectOptions) =>
      found(async (io, signal) => (await import('./inspect.ts')).inspectSkill(name, options, io, signal)),
    );
  skills
    .command('audit')
    .argument('[names...]', 'only these; all without one')
    .description('scan installed skills again, and show what changed since they were installed')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes skills audit'))
    .action((names: string[], options: Json) =>
      found(async (io) => (await import('./inspect.ts')).auditInstalled(names, options, io)),
    );
}

function describeChanging(skills: Command, found: Found): void {
  skills
    .command('install')
    .argument('<source>', 'a folder, an address, github:OWNER/NAME or npm:NAME')
    .description('install a skill from a folder, a git address (#branch, #tag, #commit) or npm:NAME[@VERSION]')
    .option('--path <folder>', 'the folder of the skill inside of the source')
    .option('--category <name>', 'the category to put it in')
    .option('--yes', 'do not ask, also where the scan says caution')
    .option('--force', 'also where the scan says that it is dangerous')
    .option('--json', 'answer with JSON')
    .addHelpText(
      'after',
      examples(
        'hermes skills install ./my-skill',
        'hermes skills install https://example.com/skills.git#v2 --path writing/letters',
        'hermes skills install npm:some-skill@1.2.0',
      ),
    )
    .action((source: string, options: InstallOptions) =>
      found(async (io, signal) => (await import('./install.ts')).installSkill(source, options, io, signal)),
    );
  skills
    .command('remove')
    .argument('<name>', 'of an installed skill')
    .description('remove a skill; it is kept in the trash of the home')
    .option('--yes', 'do not ask')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes skills remove my-skill'))
    .action((name: string, options: Json & { yes?: boolean }) =>
      found(async (io) => (await import('./install.ts')).removeInstalled(name, options, io)),
    );
  skills
    .command('trust')
    .argument('[folder]', 'the project; by default the one here')
    .description('use the skills of a project: those in its .hermes/skills and .agents/skills')
    .option('--remove', 'stop using them')
    .option('--yes', 'do not ask')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes skills trust', 'hermes skills trust ~/project --remove'))
    .action((folder: string | undefined, options: TrustOptions) =>
      found(async (io) => (await import('./trust.ts')).trustProject(folder, options, io)),
    );
}
