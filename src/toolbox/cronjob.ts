import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const text = (about: string) => z.optional(z.string().check(z.describe(about)));

const parameters = z.object({
  action: z.enum(['list', 'create', 'update', 'pause', 'resume', 'remove', 'run']),
  job_id: text('The id or name of a job. Required for every action except list and create.'),
  schedule: text(
    '"30m" or an ISO time (once), "every 2h", "weekdays 8:30", "every monday 9:00", "@daily" or a cron expression such as "0 9 * * 1-5". Add "tz=Europe/Berlin" for another time zone. Required for create.',
  ),
  prompt: text(
    'What to do in each run, as a complete instruction: the run does not see this conversation. Required for create, unless skills or a script are given.',
  ),
  name: text('A short name.'),
  repeat: z.optional(z.int().check(z.gte(0), z.describe('How often the job runs. Default: forever, or once.'))),
  deliver: text(
    'Where answers go: "origin" (this chat, the default in a chat), "local" (a file), "all" or a target such as "telegram" or "telegram:#name"; several separated by commas.',
  ),
  skills: z.optional(z.array(z.string()).check(z.describe('Skills that each run uses.'))),
  model: z.optional(
    z
      .object({ provider: z.optional(z.string()), model: z.optional(z.string()) })
      .check(z.describe('Always use this model. Set it only if the user asks for one.')),
  ),
  script: text('A file in scripts/ of the home directory. It runs first, and the prompt gets its output.'),
  no_agent: z.optional(z.boolean().check(z.describe('The output of the script is the answer; no model is used.'))),
  context_from: z.optional(z.array(z.string()).check(z.describe('Jobs whose last answers the prompt gets.'))),
  workdir: text('The working directory, as an absolute path.'),
});

export type CronjobArguments = z.output<typeof parameters>;

export const cronjobTool = defineTool({
  name: 'cronjob',
  toolset: 'cronjob',
  emoji: '⏰',
  asksBefore: 'every change of a scheduled job',
  description:
    'List, create and change scheduled jobs: prompts that run later or regularly, each time in a new session without a user. Use it for reminders and recurring work. The answer of a run is delivered automatically, so the prompt must not ask to send it; a run with nothing to report answers [SILENT].',
  parameters,
  concurrency: { mode: 'barrier' },
  requiredServices: ['jobs'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { callCronjob } = await import('./scheduling/call-cronjob.ts');
    return callCronjob(args, context);
  },
});
