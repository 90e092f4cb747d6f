import type { DoctorOptions } from '../../doctor/doctor.ts';
import type { DumpOptions } from '../../dump/dump.ts';
import { LOG_LEVELS, parseSince } from '../../logs/log-entry.ts';
import type { LogsOptions } from '../../logs/logs.ts';
import type { PromptSizeOptions } from '../../prompt-size/prompt-size.ts';
import type { StatusOptions } from '../../status/status.ts';
import { type CommandCall, type CommandRow, JSON_OPTION, YES_SHORT_OPTION } from '../command-row.ts';
import { parseCount, parseNames } from '../option-values.ts';

const GROUP = 'See how it is:';

/** The commands that show how things are. */
export const STATUS_COMMANDS: readonly CommandRow[] = [
  {
    name: 'status',
    group: GROUP,
    about: 'show which model is used and why, and where everything is',
    summary: 'which model is used and why, and where everything is',
    options: [
      { form: '-m, --model <name>', about: 'as if this model were asked for' },
      { form: '--provider <name>', about: 'as if this provider were asked for' },
      { form: '--deep', about: 'ask the provider for its models, which shows whether the key works' },
      JSON_OPTION,
    ],
    examples: ['hermes status', 'hermes status --deep', 'hermes status --json --provider openrouter'],
    run: async ({ options, io }: CommandCall<StatusOptions>) =>
      (await import('../../status/status.ts')).showStatus(options, io),
  },
  {
    name: 'doctor',
    group: GROUP,
    about: 'check home, configuration, keys, models and session database, and say what to do',
    summary: 'check that everything works, and say what to do',
    options: [
      { form: '--offline', about: 'ask no host whether it answers, takes the key and has the model' },
      { form: '--fix', about: 'mend what is safe: rights of files, missing folders, the search index; asks first' },
      YES_SHORT_OPTION,
      JSON_OPTION,
    ],
    examples: ['hermes doctor', 'hermes doctor --offline', 'hermes doctor --fix'],
    run: async ({ options, io, signal }: CommandCall<DoctorOptions>) =>
      (await import('../../doctor/doctor.ts')).doctor(options, io, signal),
  },
  {
    name: 'logs',
    group: GROUP,
    about: 'show what was written to the log, without secrets',
    options: [
      { form: '-n, --lines <n>', about: 'how many lines', parse: parseCount, default: 50 },
      { form: '-f, --follow', about: 'go on with what comes; Ctrl-C leaves' },
      { form: '--session <session>', about: 'only of this session: its id, the beginning of one, or its title' },
      { form: '--level <level>', about: 'this level and above', choices: LOG_LEVELS },
      { form: '--since <time>', about: 'from then on: 30m, 2h, 1d, or a date', parse: (text) => parseSince(text) },
      { form: '--json', about: 'one JSON object per line' },
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
    group: GROUP,
    about: 'show what every call to a model carries, piece by piece',
    summary: 'what every call to a model carries, piece by piece',
    options: [
      { form: '-t, --toolsets <names>', about: 'as if these tool sets were asked for', parse: parseNames },
      JSON_OPTION,
    ],
    examples: ['hermes prompt-size', 'hermes prompt-size --toolsets file,terminal'],
    run: async ({ options, io }: CommandCall<PromptSizeOptions>) =>
      (await import('../../prompt-size/prompt-size.ts')).showPromptSize(options, io),
  },
  {
    name: 'dump',
    group: GROUP,
    about: 'write what a bug report needs, without secrets',
    options: [JSON_OPTION],
    notes: 'Read it before you hand it on: secrets are taken out, names of models, hosts and folders are not.',
    examples: ['hermes dump', 'hermes dump > report.txt'],
    run: async ({ options, io }: CommandCall<DumpOptions>) =>
      (await import('../../dump/dump.ts')).writeDump(options, io),
  },
];
