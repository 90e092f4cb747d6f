import type { CheckOptions } from '../../approvals/check.ts';
import type { ClearOptions, ListOptions, RestoreOptions } from '../../checkpoints/checkpoints.ts';
import {
  type CommandCall,
  type CommandRow,
  type Confirmed,
  type Json,
  JSON_FOR_ALL,
  JSON_OPTION,
  type ValueRow,
  YES_OPTION,
  YES_SHORT_OPTION,
} from '../command-row.ts';
import { parseCount } from '../option-values.ts';

const GROUP = 'What it can do and may do:';

const NUMBER: ValueRow = { form: '<number>', about: 'which one', parse: parseCount };
const PATHS: ValueRow = { form: '[paths...]', about: 'only these files and folders' };

const listPlugins = async ({ options, io }: CommandCall<Json>) =>
  (await import('../../plugins/list.ts')).listPlugins(options, io);
const listHooks = async ({ options, io }: CommandCall<Json>) =>
  (await import('../../hooks/hooks.ts')).listHooks(options, io);

/** The commands about code of others, permission, and files as they were. None of them needs a model. */
export const GUARD_COMMANDS: readonly CommandRow[] = [
  {
    name: 'plugins',
    group: GROUP,
    about: 'see, install and remove plugins, switch them on and off',
    summary: 'see, install, remove and switch plugins',
    options: [JSON_FOR_ALL],
    notes:
      'A plugin is code of others that runs inside of Hermes, with all that you may do. None is loaded before you enable it.',
    examples: [
      'hermes plugins list',
      'hermes plugins install ./word-count',
      'hermes plugins info word-count',
      'hermes plugins enable word-count',
      'hermes plugins check',
    ],
    commands: [
      {
        name: 'list',
        about: 'show all plugins, and why one is not used; none of them is loaded for it',
        options: [JSON_OPTION],
        examples: ['hermes plugins list'],
        run: listPlugins,
      },
      {
        name: 'info',
        about: 'show what a plugin says of itself',
        arguments: [{ form: '<name>', about: 'of the plugin' }],
        options: [JSON_OPTION],
        examples: ['hermes plugins info word-count'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../plugins/list.ts')).showPlugin(name, options, io),
      },
      {
        name: 'check',
        about: 'load what is enabled, and show what each brings and what is refused',
        options: [JSON_OPTION],
        examples: ['hermes plugins check'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../plugins/check.ts')).checkPlugins(options, io),
      },
      {
        name: 'install',
        about: 'put a plugin into the home: from a folder, a git address or npm:NAME[@VERSION]; it is not loaded yet',
        arguments: [{ form: '<source>', about: 'a folder, an address, github:OWNER/NAME or npm:NAME' }],
        options: [{ form: '--yes', about: 'do not ask, also where it replaces another' }, JSON_OPTION],
        examples: ['hermes plugins install ./my-plugin', 'hermes plugins install npm:some-plugin'],
        run: async ({ values: [source], options, io, signal }: CommandCall<Confirmed, [string]>) =>
          (await import('../../plugins/install.ts')).fetchPlugin(source, options, io, signal),
      },
      {
        name: 'remove',
        about: 'remove a plugin; it is kept in the trash of the home',
        arguments: [{ form: '<name>', about: 'of a plugin in the home' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes plugins remove word-count'],
        run: async ({ values: [name], options, io }: CommandCall<Confirmed, [string]>) =>
          (await import('../../plugins/install.ts')).discardPlugin(name, options, io),
      },
      {
        name: 'enable',
        about: 'load a plugin from now on, after a look at what it brings',
        arguments: [{ form: '<name>', about: 'of the plugin, or of a package in plugins/node_modules of the home' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes plugins enable word-count'],
        run: async ({ values: [name], options, io }: CommandCall<Confirmed, [string]>) =>
          (await import('../../plugins/change.ts')).changePlugin('enable', name, options, io),
      },
      {
        name: 'disable',
        about: 'do not load a plugin any more',
        arguments: [{ form: '<name>', about: 'of the plugin, or of a package in plugins/node_modules of the home' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes plugins disable word-count'],
        run: async ({ values: [name], options, io }: CommandCall<Confirmed, [string]>) =>
          (await import('../../plugins/change.ts')).changePlugin('disable', name, options, io),
      },
    ],
    run: listPlugins,
  },
  {
    name: 'hooks',
    group: GROUP,
    about: 'see and allow commands that run at steps of a turn',
    options: [JSON_FOR_ALL],
    notes: `A hook is a command of yours that runs at a step of a turn; config.yaml names them under \`hooks\`. None is run before
you allow it, and one that was changed has to be allowed again.`,
    examples: ['hermes hooks list', 'hermes hooks allow', 'hermes hooks revoke hooks.pre_tool_call[0]'],
    commands: [
      {
        name: 'list',
        about: 'show all hooks, and whether each is run',
        options: [JSON_OPTION],
        examples: ['hermes hooks list'],
        run: listHooks,
      },
      {
        name: 'allow',
        about: 'let hooks run as they are now, after a look at them',
        arguments: [{ form: '[keys...]', about: 'which ones, as the list names them; all without one' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes hooks allow', 'hermes hooks allow hooks.pre_tool_call[0]'],
        run: async ({ values: [keys], options, io }: CommandCall<Confirmed, [string[]]>) =>
          (await import('../../hooks/hooks.ts')).changeHooks('allow', keys, options, io),
      },
      {
        name: 'revoke',
        about: 'do not run hooks any more',
        arguments: [{ form: '[keys...]', about: 'which ones, as the list names them; all without one' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes hooks revoke', 'hermes hooks revoke hooks.pre_tool_call[0]'],
        run: async ({ values: [keys], options, io }: CommandCall<Confirmed, [string[]]>) =>
          (await import('../../hooks/hooks.ts')).changeHooks('revoke', keys, options, io),
      },
    ],
    run: listHooks,
  },
  {
    name: 'approvals',
    group: GROUP,
    about: 'see what asks first, and what was allowed for good',
    options: [JSON_FOR_ALL],
    examples: ["hermes approvals check 'git push --force'", 'hermes approvals list'],
    commands: [
      {
        name: 'check',
        about: 'judge a command without running it',
        takesAnyOption: true,
        arguments: [{ form: '[command...]', about: 'the command line' }],
        options: [
          { form: '--stdin', about: 'read JSON lines from standard input, answer with JSON lines' },
          JSON_OPTION,
        ],
        notes: `Nothing is run. The exit code is 0 where the command would run unasked, 3 where it would ask, 4 where it is blocked.
With --stdin each line is {"command": "…"}, and each answer is a line with command, verdict, reasons and matched; the exit
code is 0, or 1 where a line could not be read.`,
        examples: [
          "hermes approvals check 'git push --force'",
          `printf '{"command":"rm -rf build"}\\n' | hermes approvals check --stdin`,
        ],
        run: async ({ values: [words], options, io }: CommandCall<CheckOptions, [string[]]>) =>
          (await import('../../approvals/check.ts')).checkCommand(words, options, io),
      },
      {
        name: 'list',
        about: 'show what is allowed for good',
        options: [JSON_OPTION],
        examples: ['hermes approvals list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../approvals/allowed.ts')).listAllowed(options, io),
      },
      {
        name: 'forget',
        about: 'ask again about what was allowed for good',
        arguments: [{ form: '<entry>', about: 'an entry as `list` shows it' }],
        options: [JSON_OPTION],
        examples: ["hermes approvals forget 'git push --force'"],
        run: async ({ values: [entry], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../approvals/allowed.ts')).forgetAllowed(entry, options, io),
      },
    ],
  },
  {
    name: 'checkpoints',
    group: GROUP,
    about: 'files as they were: show them, bring them back',
    notes:
      'They are taken before a turn changes files, with --checkpoints or checkpoints.enabled, and are about the directory you are in.',
    examples: [
      'hermes checkpoints list',
      'hermes checkpoints diff 3           # what has changed since',
      'hermes checkpoints restore 3 src/   # without a path all files',
      'hermes checkpoints list --all       # all directories that have some, and what they take',
    ],
    commands: [
      {
        name: 'list',
        about: 'show those of this directory, newest first',
        options: [{ form: '--all', about: 'show the directories that have some' }, JSON_OPTION],
        examples: ['hermes checkpoints list', 'hermes checkpoints list --all'],
        run: async ({ options, io }: CommandCall<ListOptions>) =>
          (await import('../../checkpoints/checkpoints.ts')).listCheckpoints(options, io),
      },
      {
        name: 'diff',
        about: 'show what has changed since one',
        arguments: [NUMBER, PATHS],
        examples: ['hermes checkpoints diff 3', 'hermes checkpoints diff 3 src/main.ts'],
        run: async ({ values: [number, paths], io }: CommandCall<object, [number, string[]]>) =>
          (await import('../../checkpoints/checkpoints.ts')).diffCheckpoint(number, paths, io),
      },
      {
        name: 'restore',
        about: 'put files back as they were; what they are now is kept first',
        arguments: [NUMBER, PATHS],
        options: [YES_SHORT_OPTION],
        examples: ['hermes checkpoints restore 3', 'hermes checkpoints restore 3 src/'],
        run: async ({ values: [number, paths], options, io }: CommandCall<RestoreOptions, [number, string[]]>) =>
          (await import('../../checkpoints/checkpoints.ts')).restoreCheckpoint(number, paths, options, io),
      },
      {
        name: 'prune',
        about: 'drop what is beyond the limits now',
        examples: ['hermes checkpoints prune'],
        run: async ({ io, signal }: CommandCall) =>
          (await import('../../checkpoints/checkpoints.ts')).pruneCheckpoints(io, signal),
      },
      {
        name: 'clear',
        about: 'delete all checkpoints of this directory',
        options: [{ form: '--all', about: 'of every directory' }, YES_SHORT_OPTION],
        examples: ['hermes checkpoints clear', 'hermes checkpoints clear --all --yes'],
        run: async ({ options, io }: CommandCall<ClearOptions>) =>
          (await import('../../checkpoints/checkpoints.ts')).clearCheckpoints(options, io),
      },
    ],
  },
];
