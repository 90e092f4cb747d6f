import type { BackupCommandOptions, ImportCommandOptions } from '../../backup/backup.ts';
import type { SetOptions } from '../../config/change.ts';
import type { CheckOptions, MigrateOptions } from '../../config/check.ts';
import type { ExplainOptions, GetOptions, PathOptions, ShowOptions } from '../../config/show.ts';
import type { CreateOptions, DeleteOptions } from '../../profile/profile.ts';
import type { UpdateOptions } from '../../update/update.ts';
import {
  type CommandCall,
  type CommandRow,
  type Json,
  JSON_OPTION,
  type ValueRow,
  YES_SHORT_OPTION,
} from '../command-row.ts';

/** The shells that a completion script can be written for. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What a completion script can ask for while somebody types. */
const DYNAMIC_KINDS = [
  'sessions',
  'models',
  'providers',
  'config-keys',
  'config-sections',
  'profiles',
  'servers',
] as const;
export type DynamicKind = (typeof DYNAMIC_KINDS)[number];

const GROUP = 'Settings and homes:';

const CONFIG_KEY: ValueRow = {
  form: '<config-key>',
  about: 'such as agent.max_turns, or a variable of .env in capitals',
};
const PROFILE: ValueRow = { form: '<profile>', about: 'its name' };

/** The commands about configuration, profiles, backups and the program itself. */
export const HOME_COMMANDS: readonly CommandRow[] = [
  {
    name: 'config',
    group: GROUP,
    about: 'see, change and check the configuration',
    options: [{ form: '--json', about: 'answer with JSON, where there is something to answer' }],
    notes:
      'Comments and layout of config.yaml stay as they are. A name in capitals is a variable, and is kept in .env.',
    examples: [
      'hermes config show',
      'hermes config set agent.max_turns 50',
      'hermes config set toolsets file,terminal',
      'hermes config set OPENROUTER_API_KEY - < key.txt',
      'hermes config check',
    ],
    commands: [
      {
        name: 'show',
        about: 'show what is set and where, and the defaults; secrets are hidden',
        arguments: [{ form: '[section]', about: 'only this section, such as agent' }],
        options: [JSON_OPTION],
        examples: ['hermes config show', 'hermes config show agent'],
        run: async ({ values: [section], options, io }: CommandCall<ShowOptions, [string | undefined]>) =>
          (await import('../../config/show.ts')).showConfig(section, options, io),
      },
      {
        name: 'get',
        about: 'show one value; ends with 1 where it is not set',
        arguments: [CONFIG_KEY],
        options: [{ form: '--reveal', about: 'show a secret as it is' }, JSON_OPTION],
        examples: ['hermes config get agent.max_turns', 'hermes config get OPENROUTER_API_KEY --reveal'],
        run: async ({ values: [key], options, io }: CommandCall<GetOptions, [string]>) =>
          (await import('../../config/show.ts')).getConfigValue(key, options, io),
      },
      {
        name: 'explain',
        about: 'say what a key, a section or a variable is for, what it takes, and what holds without it',
        arguments: [{ form: '<config-key>', about: 'such as agent.max_turns, agent or HERMES_HOME' }],
        options: [JSON_OPTION],
        examples: ['hermes config explain agent.max_turns', 'hermes config explain compression'],
        run: async ({ values: [key], options, io }: CommandCall<ExplainOptions, [string]>) =>
          (await import('../../config/show.ts')).explainKey(key, options, io),
      },
      {
        name: 'path',
        about: 'show where config.yaml is',
        options: [{ form: '--env', about: 'where .env is' }],
        examples: ['hermes config path --env'],
        run: async ({ options, io }: CommandCall<PathOptions>) =>
          (await import('../../config/show.ts')).showConfigPath(options, io),
      },
      {
        name: 'check',
        about: 'look for mistakes, unknown keys and old names; ends with 1 where something is wrong',
        options: [JSON_OPTION],
        examples: ['hermes config check'],
        run: async ({ options, io }: CommandCall<CheckOptions>) =>
          (await import('../../config/check.ts')).checkConfig(options, io),
      },
      {
        name: 'set',
        about: 'set one value',
        arguments: [CONFIG_KEY, { form: '<value>', about: 'lists with commas; - reads it from standard input' }],
        options: [{ form: '--force', about: 'also a key that is not known here' }],
        examples: [
          'hermes config set agent.max_turns 50',
          'hermes config set toolsets file,terminal',
          'hermes config set OPENROUTER_API_KEY - < key.txt',
        ],
        run: async ({ values: [key, value], options, io }: CommandCall<SetOptions, [string, string]>) =>
          (await import('../../config/change.ts')).setConfigValue(key, value, options, io),
      },
      {
        name: 'unset',
        about: 'take one value out, so that the default holds',
        arguments: [CONFIG_KEY],
        examples: ['hermes config unset agent.max_turns'],
        run: async ({ values: [key], io }: CommandCall<object, [string]>) =>
          (await import('../../config/change.ts')).unsetConfigValue(key, io),
      },
      {
        name: 'edit',
        about: 'open a copy in your editor ($VISUAL or $EDITOR); it is checked before it is put in place',
        examples: ['EDITOR=nano hermes config edit'],
        run: async ({ io, signal }: CommandCall) => (await import('../../config/change.ts')).editConfigFile(io, signal),
      },
      {
        name: 'migrate',
        about: 'give old keys their names of today; the old file is kept beside the new one',
        options: [{ form: '--dry-run', about: 'only show what would be done' }, JSON_OPTION],
        examples: ['hermes config migrate --dry-run'],
        run: async ({ options, io }: CommandCall<MigrateOptions>) =>
          (await import('../../config/check.ts')).migrateConfig(options, io),
      },
    ],
  },
  {
    name: 'profile',
    group: GROUP,
    about: 'keep several homes apart: work, private, trials',
    notes:
      'A profile is a home of its own: configuration, keys, sessions, memory, skills. "default" is the one they all lie in.',
    examples: [
      'hermes profile create work --clone',
      'hermes -p work                      # this once; or HERMES_PROFILE=work',
      'hermes profile use work             # from now on',
      'hermes profile use default',
    ],
    commands: [
      {
        name: 'list',
        about: 'show all of them',
        options: [JSON_OPTION],
        examples: ['hermes profile list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../profile/profile.ts')).listAllProfiles(options, io),
      },
      {
        name: 'show',
        about: 'show one, by default the one in use, and why it is',
        arguments: [{ form: '[profile]', about: 'its name' }],
        options: [JSON_OPTION],
        examples: ['hermes profile show work'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string | undefined]>) =>
          (await import('../../profile/profile.ts')).showProfile(name, options, io),
      },
      {
        name: 'create',
        about: 'make a new one',
        arguments: [{ form: '<name>', about: 'small letters, digits, - and _' }],
        options: [{ form: '--clone', about: 'begin with configuration, keys and SOUL.md of the one in use' }],
        examples: ['hermes profile create work --clone'],
        run: async ({ values: [name], options, io }: CommandCall<CreateOptions, [string]>) =>
          (await import('../../profile/profile.ts')).createProfile(name, options, io),
      },
      {
        name: 'use',
        about: 'use it from now on, where nothing else is said',
        arguments: [PROFILE],
        examples: ['hermes profile use work', 'hermes profile use default'],
        run: async ({ values: [name], io }: CommandCall<object, [string]>) =>
          (await import('../../profile/profile.ts')).useProfile(name, io),
      },
      {
        name: 'delete',
        about: 'move it to the trash folder of the default home',
        arguments: [PROFILE],
        options: [YES_SHORT_OPTION],
        examples: ['hermes profile delete trials'],
        run: async ({ values: [name], options, io }: CommandCall<DeleteOptions, [string]>) =>
          (await import('../../profile/profile.ts')).deleteProfile(name, options, io),
      },
    ],
  },
  {
    name: 'backup',
    group: GROUP,
    about: 'write the home folder into one file',
    options: [
      { form: '-o, --output <file>', about: 'where to; by default a file with the time in its name, here' },
      { form: '--quick', about: 'without logs, attached files and what was deleted' },
      JSON_OPTION,
    ],
    notes:
      'It holds your keys and all that was said: keep it where only you can read it. Sessions can go on meanwhile.',
    examples: ['hermes backup', 'hermes backup -o ~/backups/hermes.tar.gz', 'hermes backup --quick'],
    run: async ({ options, io, signal }: CommandCall<BackupCommandOptions>) =>
      (await import('../../backup/backup.ts')).backUpHome(options, io, signal),
  },
  {
    name: 'import',
    group: GROUP,
    about: 'put a backup in the place of the home folder',
    arguments: [{ form: '<file>', about: 'what `hermes backup` wrote' }],
    options: [YES_SHORT_OPTION, JSON_OPTION],
    notes: 'The home as it was is kept beside the new one. End other hermes processes first.',
    examples: ['hermes import hermes-backup-20260501-101500.tar.gz', 'HERMES_HOME=~/other hermes import hermes.tar.gz'],
    run: async ({ values: [file], options, io, signal }: CommandCall<ImportCommandOptions, [string]>) =>
      (await import('../../backup/backup.ts')).importHome(file, options, io, signal),
  },
  {
    name: 'completion',
    group: GROUP,
    about: 'write a script that completes commands, options, sessions and models in your shell',
    summary: 'complete words in bash, zsh or fish',
    arguments: [{ form: '<shell>', about: 'which shell', choices: SHELLS }],
    examplesHeading: 'Put one of these into the start file of your shell',
    examples: [
      'source <(hermes completion bash)        # ~/.bashrc',
      'source <(hermes completion zsh)         # ~/.zshrc, behind compinit',
      'hermes completion fish | source         # ~/.config/fish/config.fish',
    ],
    run: async ({ values: [shell], io }: CommandCall<object, [Shell]>) =>
      (await import('../../completion/completion.ts')).writeCompletion(shell, io),
  },
  {
    name: '__complete',
    about: 'list what a completion script offers',
    isHidden: true,
    arguments: [
      {
        form: '<kind>',
        about: 'what is wanted',
        choices: DYNAMIC_KINDS,
      },
    ],
    examples: [],
    run: async ({ values: [kind], io }: CommandCall<object, [DynamicKind]>) =>
      (await import('../../completion/look-up.ts')).writeLookUp(kind, io),
  },
  {
    name: 'update',
    group: GROUP,
    about: 'show how to update; with --check, whether there is a newer version',
    summary: 'how to update, and whether there is a newer version',
    options: [{ form: '--check', about: 'ask the registry that npm is set to' }, JSON_OPTION],
    notes: 'Nothing is installed by this command, and nobody is asked without --check.',
    examples: ['hermes update --check', 'hermes update --check --json'],
    run: async ({ options, io, signal }: CommandCall<UpdateOptions>) =>
      (await import('../../update/update.ts')).showUpdate(options, io, signal),
  },
];
