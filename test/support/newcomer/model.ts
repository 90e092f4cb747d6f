import type { JsonObject } from '../../../src/base/index.ts';
import type { ReceivedRequest, Reply } from '../../../src/testing/index.ts';

export const QUESTIONS = {
  first: 'disk full? which log is the largest here, and what do I do about it?',
  edit: 'add an alias "logs" to my ~/.bashrc that shows them by size',
  long: 'now tell me everything about rotating logs',
  nextDay: 'where were we?',
  plan: 'rotate my logs without losing a line',
  tasks: 'set up the rotation, step by step',
} as const;

const FIRST_ANSWER = `**app.log** is the largest: it holds three quarters of all bytes in this folder.

| file | bytes | share |
|---|---:|---:|
| app.log | 3,000 | 75 % |
| web.log | 800 | 20 % |
| cron.log | 200 | 5 % |

Let \`logrotate\` keep four weeks of it:

\`\`\`sh
# every week, four copies, old ones packed
printf '%s\\n' "$PWD/app.log { weekly rotate 4 compress }" > rotate.conf
logrotate --debug rotate.conf
\`\`\`
`;

const LONG_ANSWER = `## Rotating logs

1. A **writer** keeps its file open, so a file that was only moved goes on growing under its new name.
2. \`copytruncate\` copies and empties it instead, and what is written between the two is lost.
3. To keep every line`;

/** The rest of the interrupted answer, which never arrives. */
const NEVER_SAID = ' tells the writer to reopen its file.'.repeat(20);
const PIECE = 10;

const usage = (input: number, output: number, cacheRead: number) => ({ input, output, cacheRead });

/** The replies of the newcomer's model. The usage is fixed, so that every run has the same figures. */
export function newcomerReply(request: ReceivedRequest): Reply {
  // A title request has no tools, and neither has the test call at the end of the setup.
  if (request.toolNames.length === 0) {
    return { text: /title/i.test(request.system) ? 'Large log files' : 'Hello.', usage: usage(60, 4, 0) };
  }
  const [result] = request.messages.slice(-1).filter(({ role }) => role === 'tool');
  // A notice about plan mode may follow the text.
  if (request.lastUserText.startsWith(QUESTIONS.plan)) return plan(request);
  switch (request.lastUserText) {
    case QUESTIONS.first:
      return result ? { text: FIRST_ANSWER, usage: usage(310, 190, 3_328) } : look();
    case QUESTIONS.edit:
      return result ? { text: 'Done: `logs` is there in every new shell.', usage: usage(240, 16, 3_840) } : edit();
    case QUESTIONS.long:
      return {
        text: LONG_ANSWER + NEVER_SAID,
        chunkSize: PIECE,
        fault: { type: 'stall', afterEvents: Math.ceil(LONG_ANSWER.length / PIECE) },
      };
    case QUESTIONS.tasks:
      return workThroughTasks(request);
    default:
      return {
        text: 'We had set up the alias; the words about rotation were cut short.',
        usage: usage(120, 18, 4_096),
      };
  }
}

const TASKS = [
  'Watch app.log while the rotation is tested',
  'Write rotate.conf',
  'Try it with --debug',
  'Add the cron entry',
];
/** A command that runs until the test ends the chat. */
const FOLLOW = 'tail -f app.log';
const TRY = 'while [ ! -e rotated ]; do sleep 0.1; done';

/** A turn with a task list and a background process, which waits in the third task. */
function workThroughTasks({ messages }: ReceivedRequest): Reply {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  const step = since.filter(({ role }) => role === 'tool').length;
  const todos = (done: number) =>
    TASKS.map((content, index) => ({
      id: `${index}`,
      content,
      status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
    }));
  const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
  const replies: Reply[] = [
    { text: 'I split it into four steps.', toolCalls: [call('todo', { todos: todos(0) })] },
    { toolCalls: [call('terminal', { command: FOLLOW, background: true })] },
    { toolCalls: [call('write_file', { path: 'rotate.conf', content: 'app.log { weekly rotate 4 compress }\n' })] },
    { text: 'The configuration is written. Now the dry run.', toolCalls: [call('todo', { todos: todos(2) })] },
    { toolCalls: [call('terminal', { command: TRY })] },
    { text: 'The dry run went through; only the cron entry is left.' },
  ];
  return { ...replies[Math.min(step, replies.length - 1)], usage: usage(400, 60, 4_096) };
}

function look(): Reply {
  return {
    text: 'I look at the sizes.',
    toolCalls: [{ name: 'terminal', arguments: { command: 'wc -c *.log | sort -rn' } }],
    usage: usage(3_400, 30, 0),
  };
}

function edit(): Reply {
  const change = {
    path: '~/.bashrc',
    old_string: "alias ll='ls -l'",
    new_string: "alias ll='ls -l'\nalias logs='ls -lS *.log'",
  };
  return { toolCalls: [{ name: 'patch', arguments: { mode: 'replace', ...change } }], usage: usage(200, 45, 3_712) };
}

const PLAN = `1. Write \`rotate.conf\` for the three logs in this folder, with four copies each.
2. Test it with \`logrotate --debug\`, which changes nothing.
3. Add it to the scheduled jobs, and check the copies after the first run.`;

const CHECK =
  "for log in app cron web; do printf 'read %s.log\\nchecked %s.log\\n' $log $log; done; while [ ! -e checked ]; do sleep 1; done";

/** Presents a plan, asks a question, and runs a command that does not end. */
function plan({ toolResults }: ReceivedRequest): Reply {
  const steps: { name: string; arguments: JsonObject }[] = [
    { name: 'clarify', arguments: { question: 'Shall I do this?', plan: PLAN } },
    { name: 'clarify', arguments: { question: 'How often should the logs be rotated?', choices: ['weekly', 'daily'] } },
    { name: 'terminal', arguments: { command: CHECK } },
  ];
  const done = toolResults.length;
  return { toolCalls: steps.slice(done, done + 1), usage: usage(300, 60, 3_968) };
}
