import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import type { CreateOptions, DeleteOptions } from './profile.ts';

type Found = (run: CommandRun) => void;
type Json = { json?: boolean };

const EXAMPLES = `
A profile is a home of its own: configuration, keys, sessions, memory, skills. "default" is the one they all lie in.

Examples:
  hermes profile create work --clone
  hermes -p work                      # this once; or HERMES_PROFILE=work
  hermes profile use work             # from now on
  hermes profile use default`;

/** The commands about several homes. */
export function describeProfile(program: Command, found: Found, inFull: boolean): void {
  const profile = program.command('profile').description('keep several homes apart: work, private, trials');
  if (!inFull) return;
  profile.helpCommand(false).addHelpText('after', EXAMPLES);
  describeReading(profile, found);
  profile
    .command('create')
    .description('make a new one')
    .argument('<name>', 'small letters, digits, - and _')
    .option('--clone', 'begin with configuration, keys and SOUL.md of the one in use')
    .addHelpText('after', examples('hermes profile create work --clone'))
    .action((name: string, options: CreateOptions) =>
      found(async (io) => (await import('./profile.ts')).createProfile(name, options, io)),
    );
  profile
    .command('use')
    .description('use it from now on, where nothing else is said')
    .argument('<profile>', 'its name')
    .addHelpText('after', examples('hermes profile use work', 'hermes profile use default'))
    .action((name: string) => found(async (io) => (await import('./profile.ts')).useProfile(name, io)));
  profile
    .command('delete')
    .description('move it to the trash folder of the default home')
    .argument('<profile>', 'its name')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('hermes profile delete trials'))
    .action((name: string, options: DeleteOptions) =>
      found(async (io) => (await import('./profile.ts')).deleteProfile(name, options, io)),
    );
}

function describeReading(profile: Command, found: Found): void {
  profile
    .command('list')
    .description('show all of them')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes profile list'))
    .action((options: Json) => found(async (io) => (await import('./profile.ts')).listAllProfiles(options, io)));
  profile
    .command('show')
    .description('show one, by default the one in use, and why it is')
    .argument('[profile]', 'its name')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes profile show work'))
    .action((name: string | undefined, options: Json) =>
      found(async (io) => (await import('./profile.ts')).showProfile(name, options, io)),
    );
}
