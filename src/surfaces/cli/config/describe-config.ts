import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import type { CheckOptions, MigrateOptions } from './check.ts';
import type { ExplainOptions, GetOptions, PathOptions, ShowOptions } from './show.ts';
import type { SetOptions } from './change.ts';

type Found = (run: CommandRun) => void;

const KEY = 'such as agent.max_turns, or a variable of .env in capitals';

const EXAMPLES = `
Comments and layout of config.yaml stay as they are. A name in capitals is a variable, and is kept in .env.

Examples:
  hermes config show
  hermes config set agent.max_turns 50
  hermes config set toolsets file,terminal
  hermes config set OPENROUTER_API_KEY - < key.txt
  hermes config check`;

/** The commands about config.yaml and .env. None of them needs a model. */
export function describeConfig(program: Command, found: Found, inFull: boolean): void {
  const config = program.command('config').description('see, change and check the configuration');
  if (!inFull) return;
  config.helpCommand(false).option('--json', 'answer with JSON, where there is something to answer');
  config.addHelpText('after', EXAMPLES);
  describeReading(config, found);
  describeChanging(config, found);
}

function describeReading(config: Command, found: Found): void {
  config
    .command('show')
    .description('show what is set and where, and the defaults; secrets are hidden')
    .argument('[section]', 'only this section, such as agent')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes config show', 'hermes config show agent'))
    .action((section: string | undefined, options: ShowOptions) =>
      found(async (io) => (await import('./show.ts')).showConfig(section, options, io)),
    );
  config
    .command('get')
    .description('show one value; ends with 1 where it is not set')
    .argument('<config-key>', KEY)
    .option('--reveal', 'show a secret as it is')
    .option('--json', 'answer with JSON')
    .addHelpText(
      'after',
      examples('hermes config get agent.max_turns', 'hermes config get OPENROUTER_API_KEY --reveal'),
    )
    .action((key: string, options: GetOptions) =>
      found(async (io) => (await import('./show.ts')).getConfigValue(key, options, io)),
    );
  config
    .command('explain')
    .description('say what a key, a section or a variable is for, what it takes, and what holds without it')
    .argument('<config-key>', 'such as agent.max_turns, agent or HERMES_HOME')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes config explain agent.max_turns', 'hermes config explain compression'))
    .action((key: string, options: ExplainOptions) =>
      found(async (io) => (await import('./show.ts')).explainKey(key, options, io)),
    );
  config
    .command('path')
    .description('show where config.yaml is')
    .option('--env', 'where .env is')
    .addHelpText('after', examples('hermes config path --env'))
    .action((options: PathOptions) => found(async (io) => (await import('./show.ts')).showConfigPath(options, io)));
  config
    .command('check')
    .description('look for mistakes, unknown keys and old names; ends with 1 where something is wrong')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes config check'))
    .action((options: CheckOptions) => found(async (io) => (await import('./check.ts')).checkConfig(options, io)));
}

function describeChanging(config: Command, found: Found): void {
  config
    .command('set')
    .description('set one value')
    .argument('<config-key>', KEY)
    .argument('<value>', 'lists with commas; - reads it from standard input')
    .option('--force', 'also a key that is not known here')
    .addHelpText(
      'after',
      examples(
        'hermes config set agent.max_turns 50',
        'hermes config set toolsets file,terminal',
        'hermes config set OPENROUTER_API_KEY - < key.txt',
      ),
    )
    .action((key: string, value: string, options: SetOptions) =>
      found(async (io) => (await import('./change.ts')).setConfigValue(key, value, options, io)),
    );
  config
    .command('unset')
    .description('take one value out, so that the default holds')
    .argument('<config-key>', KEY)
    .addHelpText('after', examples('hermes config unset agent.max_turns'))
    .action((key: string) => found(async (io) => (await import('./change.ts')).unsetConfigValue(key, io)));
  config
    .command('edit')
    .description('open a copy in your editor ($VISUAL or $EDITOR); it is checked before it is put in place')
    .addHelpText('after', examples('EDITOR=nano hermes config edit'))
    .action(() => found(async (io, signal) => (await import('./change.ts')).editConfigFile(io, signal)));
  config
    .command('migrate')
    .description('give old keys their names of today; the old file is kept beside the new one')
    .option('--dry-run', 'only show what would be done')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes config migrate --dry-run'))
    .action((options: MigrateOptions) => found(async (io) => (await import('./check.ts')).migrateConfig(options, io)));
}
