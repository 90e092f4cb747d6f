import type { CheckOptions } from '../../approvals/check.ts';
import type { ClearOptions, ListOptions, RestoreOptions } from '../../checkpoints/checkpoints.ts';
import {
  type CommandCall,
  type CommandRow,
  type Confirmed,
  type Json,
  JSON_FOR_ALL_OPTION,
  JSON_OPTION,
  type ValueRow,
  YES_OPTION,
  YES_SHORT_OPTION,
} from '../command-row.ts';
import { parseCount } from '../option-values.ts';

const GROUP = 'Tools and permissions:';

const NUMBER: ValueRow = { form: '<number>', about: 'number of the checkpoint', parse: parseCount };
const PATHS: ValueRow = { form: '[paths...]', about: 'only these files and folders' };

const listPlugins = async ({ options, io }: CommandCall<Json>) =>
  (await import('../../plugins/list.ts')).listPlugins(options, io);
const listHooks = async ({ options, io }: CommandCall<Json>) =>
  (await import('../../hooks/hooks.ts')).listHooks(options, io);

/** The commands for plugins, hooks, approvals and checkpoints. None of them needs a model. */
export const PERMISSION_COMMANDS: readonly CommandRow[] = [
  {
    name: 'plugins',
    onlyReads: true,
    group: GROUP,
    about: 'list, install, remove, enable and disable plugins',
    summary: 'list, install, enable and disable plugins',
    options: [JSON_FOR_ALL_OPTION],
    notes:
      'A plugin is third-party code that runs inside Hermes with all of your permissions. It is not loaded until you enable it.',
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
        onlyReads: true,
        about: 'list all plugins without loading them, with the reason if one is not used',
        options: [JSON_OPTION],
        examples: ['hermes plugins list'],
        run: listPlugins,
      },
      {
        name: 'info',
        onlyReads: true,
        about: 'show the manifest of a plugin',
        arguments: [{ form: '<name>', about: 'name of the plugin' }],
        options: [JSON_OPTION],
        examples: ['hermes plugins info word-count'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../plugins/list.ts')).showPlugin(name, options, io),
      },
      {
        name: 'check',
        about: 'load the enabled plugins and show what each of them provides and what was rejected',
        options: [JSON_OPTION],
        examples: ['hermes plugins check'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../plugins/check.ts')).checkPlugins(options, io),
      },
      {
        name: 'install',
        about: 'install a plugin from a folder, a Git URL or npm:NAME[@VERSION], without loading it',
        arguments: [{ form: '<source>', about: 'a folder, a URL, github:OWNER/NAME or npm:NAME' }],
        options: [{ form: '--yes', about: 'do not ask for confirmation, even if it replaces another' }, JSON_OPTION],
        examples: ['hermes plugins install ./my-plugin', 'hermes plugins install npm:some-plugin'],
        run: async ({ values: [source], options, io, signal }: CommandCall<Confirmed, [string]>) =>
          (await import('../../plugins/install.ts')).installPluginFrom(source, options, io, signal),
      },
      {
        name: 'remove',
        about: 'remove a plugin (moves it to the trash in the home directory)',
        arguments: [{ form: '<name>', about: 'an installed plugin' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes plugins remove word-count'],
        run: async ({ values: [name], options, io }: CommandCall<Confirmed, [string]>) =>
          (await import('../../plugins/install.ts')).uninstallPlugin(name, options, io),
      },
      {
        name: 'enable',
        about: 'enable a plugin, after showing what it provides',
        arguments: [{ form: '<name>', about: 'name of the plugin, or of a package in plugins/node_modules' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes plugins enable word-count'],
        run: async ({ values: [name], options, io }: CommandCall<Confirmed, [string]>) =>
          (await import('../../plugins/change.ts')).changePlugin('enable', name, options, io),
      },
      {
        name: 'disable',
        about: 'disable a plugin',
        arguments: [{ form: '<name>', about: 'name of the plugin, or of a package in plugins/node_modules' }],
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
    onlyReads: true,
    group: GROUP,
    about: 'list, allow and revoke shell hooks',
    options: [JSON_FOR_ALL_OPTION],
    notes: `A hook is a command of yours that runs at a certain point of a turn, set under \`hooks\` in config.yaml. A hook runs only
after you allow it, and a changed hook has to be allowed again.`,
    examples: ['hermes hooks list', 'hermes hooks allow', 'hermes hooks revoke hooks.pre_tool_call[0]'],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        about: 'list all hooks and show whether each is allowed',
        options: [JSON_OPTION],
        examples: ['hermes hooks list'],
        run: listHooks,
      },
      {
        name: 'allow',
        about: 'show hooks and allow them in their current form; a changed hook must be allowed again',
        arguments: [{ form: '[keys...]', about: 'hooks as named by `list` (default: all)' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes hooks allow', 'hermes hooks allow hooks.pre_tool_call[0]'],
        run: async ({ values: [keys], options, io }: CommandCall<Confirmed, [string[]]>) =>
          (await import('../../hooks/hooks.ts')).changeHooks('allow', keys, options, io),
      },
      {
        name: 'revoke',
        about: 'revoke the permission of hooks to run',
        arguments: [{ form: '[keys...]', about: 'hooks as named by `list` (default: all)' }],
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
    about: 'check commands against the approval rules, and manage the allow-list',
    summary: 'check commands, and manage the allow-list',
    options: [JSON_FOR_ALL_OPTION],
    examples: ["hermes approvals check 'git push --force'", 'hermes approvals list'],
    commands: [
      {
        name: 'check',
        onlyReads: true,
        about: 'show the verdict for a command without running it',
        allowsUnknownOptions: true,
        arguments: [{ form: '[command...]', about: 'the command line' }],
        options: [
          { form: '--stdin', about: 'read JSON lines from standard input and print JSON lines', onlyReads: true },
          JSON_OPTION,
        ],
        notes: `The command is not run. Exit codes: 0 if it is allowed, 3 if it needs approval, 4 if it is blocked. With --stdin, each
input line is {"command": "…"} and each output line contains command, verdict, reasons and matched; the exit code is 0,
or 1 if a line is invalid.`,
        examples: [
          "hermes approvals check 'git push --force'",
          `printf '{"command":"rm -rf build"}\\n' | hermes approvals check --stdin`,
        ],
        run: async ({ values: [words], options, io }: CommandCall<CheckOptions, [string[]]>) =>
          (await import('../../approvals/check.ts')).checkCommand(words, options, io),
      },
      {
        name: 'list',
        onlyReads: true,
        about: 'show the allow-list',
        options: [JSON_OPTION],
        examples: ['hermes approvals list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../approvals/allowed.ts')).showAllowList(options, io),
      },
      {
        name: 'forget',
        about: 'remove an entry from the allow-list',
        arguments: [{ form: '<entry>', about: 'an entry as shown by `list`' }],
        options: [JSON_OPTION],
        examples: ["hermes approvals forget 'git push --force'"],
        run: async ({ values: [entry], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../approvals/allowed.ts')).removeFromAllowList(entry, options, io),
      },
    ],
  },
  {
    name: 'checkpoints',
    group: GROUP,
    about: 'list, compare and restore checkpoints of your files',
    notes:
      'Checkpoints are taken before a turn changes files: in chats if the folder is small enough for that to be quick, and everywhere with --checkpoints or checkpoints.enabled: true. The commands apply to the current directory.',
    examples: [
      'hermes checkpoints list',
      'hermes checkpoints diff 3           # changes since then',
      'hermes checkpoints restore 3 src/   # without a path: all files',
      'hermes checkpoints list --all       # all directories, with sizes',
    ],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        about: 'list the checkpoints of this directory, newest first',
        options: [{ form: '--all', about: 'list all directories with checkpoints', onlyReads: true }, JSON_OPTION],
        examples: ['hermes checkpoints list', 'hermes checkpoints list --all'],
        run: async ({ options, io }: CommandCall<ListOptions>) =>
          (await import('../../checkpoints/checkpoints.ts')).listCheckpoints(options, io),
      },
      {
        name: 'diff',
        onlyReads: true,
        about: 'show the changes since a checkpoint',
        arguments: [NUMBER, PATHS],
        examples: ['hermes checkpoints diff 3', 'hermes checkpoints diff 3 src/main.ts'],
        run: async ({ values: [number, paths], io }: CommandCall<object, [number, string[]]>) =>
          (await import('../../checkpoints/checkpoints.ts')).diffCheckpoint(number, paths, io),
      },
      {
        name: 'restore',
        about: 'restore files; a checkpoint of their current state is taken first',
        arguments: [NUMBER, PATHS],
        options: [YES_SHORT_OPTION],
        examples: ['hermes checkpoints restore 3', 'hermes checkpoints restore 3 src/'],
        run: async ({ values: [number, paths], options, io }: CommandCall<RestoreOptions, [number, string[]]>) =>
          (await import('../../checkpoints/checkpoints.ts')).restoreCheckpoint(number, paths, options, io),
      },
      {
        name: 'prune',
        about: 'delete the checkpoints that exceed the configured limits',
        examples: ['hermes checkpoints prune'],
        run: async ({ io, signal }: CommandCall) =>
          (await import('../../checkpoints/checkpoints.ts')).pruneCheckpoints(io, signal),
      },
      {
        name: 'clear',
        about: 'delete all checkpoints of this directory',
        options: [{ form: '--all', about: 'of all directories' }, YES_SHORT_OPTION],
        examples: ['hermes checkpoints clear', 'hermes checkpoints clear --all --yes'],
        run: async ({ options, io }: CommandCall<ClearOptions>) =>
          (await import('../../checkpoints/checkpoints.ts')).clearCheckpoints(options, io),
      },
    ],
  },
];
