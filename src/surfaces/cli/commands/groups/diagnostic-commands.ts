import type { DoctorOptions } from '../../doctor/doctor.ts';
import type { DumpOptions } from '../../dump/dump.ts';
import { LOG_LEVELS, parseSince } from '../../logs/log-entry.ts';
import type { LogsOptions } from '../../logs/logs.ts';
import type { PromptSizeOptions } from '../../prompt-size/prompt-size.ts';
import type { StatusOptions } from '../../status/status.ts';
import { type CommandCall, type CommandRow, JSON_OPTION, YES_SHORT_OPTION } from '../command-row.ts';
import { parseCount, parseNames } from '../option-values.ts';

const GROUP = 'Diagnostics:';

/** The commands for diagnostics. */
export const DIAGNOSTIC_COMMANDS: readonly CommandRow[] = [
  {
    name: 'status',
    onlyReads: true,
    group: GROUP,
    about: 'show which model is used and why, and the paths in use',
    summary: 'show the current model and the paths in use',
    options: [
      { form: '-m, --model <name>', about: 'show the status as if this model were selected', onlyReads: true },
      { form: '--provider <name>', about: 'show the status as if this provider were selected', onlyReads: true },
      { form: '--deep', about: 'ask the provider for its models, which also checks the API key', onlyReads: true },
      JSON_OPTION,
    ],
    examples: ['hermes status', 'hermes status --deep', 'hermes status --json --provider openrouter'],
    run: async ({ options, io }: CommandCall<StatusOptions>) =>
      (await import('../../status/status.ts')).showStatus(options, io),
  },
  {
    name: 'doctor',
    onlyReads: true,
    group: GROUP,
    about: 'check the home directory, configuration, credentials, models and session database',
    summary: 'check that everything works, and suggest fixes',
    options: [
      { form: '--offline', about: 'do not connect to any host', onlyReads: true },
      { form: '--fix', about: 'fix file permissions, missing folders and the search index, after asking' },
      YES_SHORT_OPTION,
      JSON_OPTION,
    ],
    examples: ['hermes doctor', 'hermes doctor --offline', 'hermes doctor --fix'],
    run: async ({ options, io, signal }: CommandCall<DoctorOptions>) =>
      (await import('../../doctor/doctor.ts')).doctor(options, io, signal),
  },
  {
    name: 'logs',
    onlyReads: true,
    group: GROUP,
    about: 'show the log, with secrets redacted',
    options: [
      { form: '-n, --lines <n>', about: 'number of lines', parse: parseCount, default: 50, onlyReads: true },
      { form: '-f, --follow', about: 'keep printing new lines, until Ctrl-C', onlyReads: true },
      {
        form: '--session <session>',
        about: 'only this session: its id, a prefix of the id, or its title',
        onlyReads: true,
      },
      { form: '--level <level>', about: 'this level and above', choices: LOG_LEVELS, onlyReads: true },
      {
        form: '--since <time>',
        about: 'start time: 30m, 2h, 1d, or a date',
        parse: (text) => parseSince(text),
        onlyReads: true,
      },
      { form: '--json', about: 'print one JSON object per line', onlyReads: true },
    ],
    examples: [
      'hermes logs --level warn --since 2h',
      'hermes logs --session 20260501_101500_ab12cd -n 200',
      'hermes logs -f',
    ],
    run: async ({ options, io, signal }: CommandCall<LogsOptions>) =>
      (await import('../../logs/logs.ts')).showLogs(options, io, signal),
  },
  {
    name: 'prompt-size',
    onlyReads: true,
    group: GROUP,
    about: 'show the size of each part of a request to the model',
    summary: 'show the size of each part of a request',
    options: [
      { form: '-t, --toolsets <names>', about: 'measure with these tool sets', parse: parseNames, onlyReads: true },
      JSON_OPTION,
    ],
    examples: ['hermes prompt-size', 'hermes prompt-size --toolsets file,terminal'],
    run: async ({ options, io }: CommandCall<PromptSizeOptions>) =>
      (await import('../../prompt-size/prompt-size.ts')).showPromptSize(options, io),
  },
  {
    name: 'dump',
    onlyReads: true,
    group: GROUP,
    about: 'print details for a bug report, without secrets',
    options: [JSON_OPTION],
    notes: 'Read the output before you share it: secrets are redacted, but names of models, hosts and folders are not.',
    examples: ['hermes dump', 'hermes dump > report.txt'],
    run: async ({ options, io }: CommandCall<DumpOptions>) =>
      (await import('../../dump/dump.ts')).writeDump(options, io),
  },
];
