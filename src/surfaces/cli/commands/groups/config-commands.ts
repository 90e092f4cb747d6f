import type { BackupCommandOptions, ImportCommandOptions } from '../../backup/backup.ts';
import type { SetOptions } from '../../config/change.ts';
import type { CheckOptions, MigrateOptions } from '../../config/check.ts';
import type { ExplainOptions, GetOptions, PathOptions, ShowOptions } from '../../config/show.ts';
import type { CreateOptions, DeleteOptions } from '../../profile/profile.ts';
import type { MigrateFromOptions } from '../../migrate/migrate.ts';
import type { UpdateOptions } from '../../update/update.ts';
import { parseCount } from '../option-values.ts';
import {
  type CommandCall,
  type CommandRow,
  type Json,
  JSON_OPTION,
  type ValueRow,
  YES_SHORT_OPTION,
} from '../command-row.ts';

/** The shells for which a completion script can be generated. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The values that a completion script can look up. */
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

const GROUP = 'Configuration and profiles:';

const CONFIG_KEY: ValueRow = {
  form: '<config-key>',
  about: 'such as agent.max_turns, or a variable in .env (upper case)',
};
const PROFILE: ValueRow = { form: '<profile>', about: 'name of the profile' };

/** The commands for configuration, profiles, backups and the program itself. */
export const CONFIG_COMMANDS: readonly CommandRow[] = [
  {
    name: 'migrate',
    group: GROUP,
    about: 'import instructions, skills, MCP servers and permission rules of another agent',
    summary: 'import from Claude Code or OpenClaw',
    arguments: [{ form: '<program>', about: 'the other agent', choices: ['claude-code', 'openclaw'] }],
    options: [
      JSON_OPTION,
      { form: '--apply', about: 'import; without it, the command only shows what it would import' },
      { form: '--secrets', about: 'also copy keys and tokens of MCP servers, to .env' },
      { form: '--source <folder>', about: 'the folder of the other agent (default: ~/.claude or ~/.openclaw)' },
    ],
    notes: `Nothing of the other agent is changed, and nothing that exists in Hermes is replaced. Skills and instructions are
scanned for prompt injection first. For homes of the original Hermes, see \`hermes sessions import\`.`,
    examples: ['hermes migrate claude-code', 'hermes migrate openclaw --apply'],
    run: async ({ values: [program], options, ...call }: CommandCall<MigrateFromOptions, [string]>) =>
      (await import('../../migrate/migrate.ts')).migrateFrom(program, options, call),
  },
  {
    name: 'config',
    group: GROUP,
    about: 'show, change and check the configuration',
    options: [{ form: '--json', about: 'print JSON, for commands that support it', onlyReads: true }],
    notes:
      'Comments and formatting of config.yaml are preserved. A name in upper case is a variable, which is stored in .env.',
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
        onlyReads: true,
        about: 'show the configured values with their location, and the defaults; secrets are hidden',
        arguments: [{ form: '[section]', about: 'only this section, such as agent' }],
        options: [JSON_OPTION],
        examples: ['hermes config show', 'hermes config show agent'],
        run: async ({ values: [section], options, io }: CommandCall<ShowOptions, [string | undefined]>) =>
          (await import('../../config/show.ts')).showConfig(section, options, io),
      },
      {
        name: 'get',
        onlyReads: true,
        about: 'show one value; exit code 1 if it is not set',
        arguments: [CONFIG_KEY],
        options: [{ form: '--reveal', about: 'show secrets in plain text' }, JSON_OPTION],
        examples: ['hermes config get agent.max_turns', 'hermes config get OPENROUTER_API_KEY --reveal'],
        run: async ({ values: [key], options, io }: CommandCall<GetOptions, [string]>) =>
          (await import('../../config/show.ts')).getConfigValue(key, options, io),
      },
      {
        name: 'explain',
        onlyReads: true,
        about: 'describe a key, a section or an environment variable: meaning, allowed values and default',
        arguments: [{ form: '<config-key>', about: 'such as agent.max_turns, agent or HERMES_HOME' }],
        options: [JSON_OPTION],
        examples: ['hermes config explain agent.max_turns', 'hermes config explain compression'],
        run: async ({ values: [key], options, io }: CommandCall<ExplainOptions, [string]>) =>
          (await import('../../config/show.ts')).explainKey(key, options, io),
      },
      {
        name: 'path',
        onlyReads: true,
        about: 'show the path of config.yaml',
        options: [{ form: '--env', about: 'the path of .env instead', onlyReads: true }],
        examples: ['hermes config path --env'],
        run: async ({ options, io }: CommandCall<PathOptions>) =>
          (await import('../../config/show.ts')).showConfigPath(options, io),
      },
      {
        name: 'check',
        onlyReads: true,
        about: 'find invalid values, unknown keys and deprecated keys; exit code 1 if something is invalid',
        options: [JSON_OPTION],
        examples: ['hermes config check'],
        run: async ({ options, io }: CommandCall<CheckOptions>) =>
          (await import('../../config/check.ts')).checkConfig(options, io),
      },
      {
        name: 'set',
        about: 'set a value',
        arguments: [
          CONFIG_KEY,
          { form: '<value>', about: 'the value; separate list items with commas; - reads it from standard input' },
        ],
        options: [{ form: '--force', about: 'allow an unknown key' }],
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
        about: 'remove a value, so that the default applies',
        arguments: [CONFIG_KEY],
        examples: ['hermes config unset agent.max_turns'],
        run: async ({ values: [key], io }: CommandCall<object, [string]>) =>
          (await import('../../config/change.ts')).unsetConfigValue(key, io),
      },
      {
        name: 'edit',
        about: 'edit a copy in your editor ($VISUAL or $EDITOR); it is checked before it is saved',
        examples: ['EDITOR=nano hermes config edit'],
        run: async ({ io, signal }: CommandCall) => (await import('../../config/change.ts')).editConfigFile(io, signal),
      },
      {
        name: 'migrate',
        about: 'rename deprecated keys; a copy of the old file is kept',
        options: [{ form: '--dry-run', about: 'only show the changes' }, JSON_OPTION],
        examples: ['hermes config migrate --dry-run'],
        run: async ({ options, io }: CommandCall<MigrateOptions>) =>
          (await import('../../config/check.ts')).migrateConfig(options, io),
      },
    ],
  },
  {
    name: 'profile',
    group: GROUP,
    about: 'manage profiles, i.e. separate home directories',
    notes:
      'A profile is a separate home directory with its own configuration, credentials, sessions, memory and skills. The profile "default" is the home directory that contains the others.',
    examples: [
      'hermes profile create work --clone',
      'hermes -p work                      # only this time; or HERMES_PROFILE=work',
      'hermes profile use work             # from now on',
      'hermes profile use default',
    ],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        about: 'list all profiles',
        options: [JSON_OPTION],
        examples: ['hermes profile list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../profile/profile.ts')).listAllProfiles(options, io),
      },
      {
        name: 'show',
        onlyReads: true,
        about: 'show a profile (default: the current one) and why it is used',
        arguments: [{ form: '[profile]', about: 'name of the profile' }],
        options: [JSON_OPTION],
        examples: ['hermes profile show work'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string | undefined]>) =>
          (await import('../../profile/profile.ts')).showProfile(name, options, io),
      },
      {
        name: 'create',
        about: 'create a profile',
        arguments: [{ form: '<name>', about: 'lower-case letters, digits, - and _' }],
        options: [{ form: '--clone', about: 'copy configuration, credentials and SOUL.md from the current profile' }],
        examples: ['hermes profile create work --clone'],
        run: async ({ values: [name], options, io }: CommandCall<CreateOptions, [string]>) =>
          (await import('../../profile/profile.ts')).createProfile(name, options, io),
      },
      {
        name: 'use',
        about: 'use a profile by default',
        arguments: [PROFILE],
        examples: ['hermes profile use work', 'hermes profile use default'],
        run: async ({ values: [name], io }: CommandCall<object, [string]>) =>
          (await import('../../profile/profile.ts')).useProfile(name, io),
      },
      {
        name: 'delete',
        about: 'move a profile to the trash in the default home directory',
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
    about: 'back up the home directory to a file',
    options: [
      {
        form: '-o, --output <file>',
        about: 'file to write (default: hermes-backup-TIME.tar.gz in the current directory)',
      },
      { form: '--quick', about: 'skip logs, attachments and the trash' },
      JSON_OPTION,
    ],
    notes:
      'The backup contains your credentials and all sessions: store it where only you can read it. You can run this command while sessions are open.',
    examples: ['hermes backup', 'hermes backup -o ~/backups/hermes.tar.gz', 'hermes backup --quick'],
    run: async ({ options, io, signal }: CommandCall<BackupCommandOptions>) =>
      (await import('../../backup/backup.ts')).backUpHome(options, io, signal),
  },
  {
    name: 'import',
    group: GROUP,
    about: 'restore the home directory from a backup',
    arguments: [{ form: '<file>', about: 'a file written by `hermes backup`' }],
    options: [
      YES_SHORT_OPTION,
      {
        form: '--max-size <mb>',
        about: 'maximum size of its files in megabytes (default: backup.max_import_mb)',
        parse: parseCount,
      },
      {
        form: '--max-ratio <n>',
        about: 'how many times its own size it may expand to (default: backup.max_import_ratio)',
        parse: parseCount,
      },
      JSON_OPTION,
    ],
    notes:
      'The current home directory is renamed, not deleted. The command is refused while a turn is running in it. Exit open chats first: they cannot store anything afterwards.',
    examples: ['hermes import hermes-backup-20260501-101500.tar.gz', 'HERMES_HOME=~/other hermes import hermes.tar.gz'],
    run: async ({ values: [file], options, io, signal }: CommandCall<ImportCommandOptions, [string]>) =>
      (await import('../../backup/backup.ts')).importHome(file, options, io, signal),
  },
  {
    name: 'completion',
    onlyReads: true,
    group: GROUP,
    about: 'print a script that completes commands, options, sessions and models in your shell',
    summary: 'print a completion script for bash, zsh or fish',
    arguments: [{ form: '<shell>', about: 'which shell', choices: SHELLS }],
    examplesHeading: 'Add one of these to the startup file of your shell',
    examples: [
      'source <(hermes completion bash)        # ~/.bashrc',
      'source <(hermes completion zsh)         # ~/.zshrc, after compinit',
      'hermes completion fish | source         # ~/.config/fish/config.fish',
    ],
    run: async ({ values: [shell], io }: CommandCall<object, [Shell]>) =>
      (await import('../../completion/completion.ts')).writeCompletion(shell, io),
  },
  {
    name: '__complete',
    onlyReads: true,
    about: 'list the completions for a kind of value',
    isHidden: true,
    arguments: [
      {
        form: '<kind>',
        about: 'kind of value',
        choices: DYNAMIC_KINDS,
      },
    ],
    examples: [],
    run: async ({ values: [kind], io }: CommandCall<object, [DynamicKind]>) =>
      (await import('../../completion/dynamic-values.ts')).writeDynamicValues(kind, io),
  },
  {
    name: 'update',
    onlyReads: true,
    group: GROUP,
    about: 'show how to update; with --check, whether a newer version is available',
    summary: 'show how to update, and check for a new version',
    options: [
      { form: '--check', about: 'check for a newer version in the npm registry you have configured', onlyReads: true },
      JSON_OPTION,
    ],
    notes: 'This command installs nothing, and it uses the network only with --check.',
    examples: ['hermes update --check', 'hermes update --check --json'],
    run: async ({ options, io, signal }: CommandCall<UpdateOptions>) =>
      (await import('../../update/update.ts')).showUpdate(options, io, signal),
  },
];
