import { dirname } from 'node:path';
import { isWithin, type MachineFacts } from '../files/machine-facts.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import type { ShellCommand, Source } from '../shell/shell-command.ts';
import { isHelpOrDryRun, type CommandRule, hasOption, hasOperand } from './rule.ts';

const SERVICES = 'stop or change services';
const KILL = 'kill many processes';

/** Services and processes. */
export const PROCESS_RULES: readonly CommandRule[] = [
  {
    rule: SERVICES,
    commands: ['systemctl'],
    when: ({ args }) =>
      /^(?:stop|disable|(?:re)?enable|mask|kill|restart|isolate|revert|(?:try|reload)-(?:or-)?restart|set-default|daemon-reexec|rescue|emergency|suspend\S*|hibernate|hybrid-sleep|sleep|edit|link|preset\S*|set-(?:property|environment)|unset-environment|add-(?:wants|requires)|freeze|clean|default|switch-root|bind|mount-image)$/.test(
        parseSubcommand('systemctl', args).words[0] ?? '',
      ),
  },
  {
    rule: SERVICES,
    everydayName: true,
    commands: 'service rc-service initctl sv supervisorctl launchctl stop rc-update update-rc.d chkconfig s6-svc'.split(
      ' ',
    ),
    when: (command) =>
      (command.name === 'stop' && command.args.length === 1) ||
      hasOperand(
        command,
        'stop restart unload bootout down remove disable shutdown kill del off load bootstrap'.split(' '),
      ),
  },
  {
    rule: SERVICES,
    when: ({ source, args }) =>
      /(?:^|\s)\/etc\/(?:init|rc)\.d\/\S+/.test(source) && /^(?:stop|restart)$/.test(args[0] ?? ''),
  },
  {
    rule: SERVICES,
    commands: 'brew pm2 forever sc sc.exe net net.exe nginx apachectl pg_ctl pg_ctlcluster'.split(' '),
    when: ({ name, args }) => {
      const text = args.join(' ');
      if (name === 'brew') return /^services (?:stop|kill|cleanup)/.test(text);
      if (name === 'pm2' || name === 'forever')
        return /^(?:kill|(?:delete|stop|stopall) ?(?:all)?$)/.test(text) && !/^stop$|^delete$/.test(text);
      if (name === 'nginx') return /-s (?:stop|quit)/.test(text);
      return /(?:^|\s)(?:stop|delete|graceful-stop)(?:\s|$)/.test(text);
    },
  },
  {
    rule: SERVICES,
    commands: ['pmset'],
    everydayName: true,
    when: ({ args }) => /sleepnow|^-[abc] |^(?:sleep|schedule|repeat)/.test(args.join(' ')),
  },
  {
    rule: KILL,
    commands: ['loginctl'],
    when: ({ args }) => args.some((arg) => /^(?:terminate|kill|lock)-(?:user|session|seat|sessions)$/.test(arg)),
  },
  {
    rule: KILL,
    commands: 'killall pkill skill fuser taskkill taskkill.exe xkill slay Stop-Process spps'.split(' '),
    everydayName: true,
    reviewable: true,
    when: (command, facts) =>
      !isHelpOrDryRun(command) &&
      !hasOption(command, 'l', 'list') &&
      !command.args.includes('-0') &&
      (command.name !== 'fuser' || hasOption(command, 'k')) &&
      !stopsOwnWork(command.name, command.args, facts),
  },
  { rule: KILL, commands: ['kill', 'xargs'], reviewable: true, aboutInput: true, when: killsWhatIsFound },
  {
    rule: KILL,
    commands: ['kill'],
    when: ({ args }) =>
      args.at(-1) === '1' && (args.length === 1 || args.length === 2) && args[0] !== '-0' && args[0] !== '-l',
  },
];

/** Development tools that are started and stopped all day and that only a developer runs. */
const DEVELOPMENT =
  /(?:^|[\s/])(?:vite|next(?:-server)?|nuxt|astro|remix|webpack(?:-dev-server)?|rollup|esbuild|parcel|storybook|react-scripts|ng serve|expo|metro|nodemon|ts-node(?:-dev)?|tsx|tsc|jest|vitest|playwright|cypress|uvicorn|gunicorn|hypercorn|flask|manage\.py|django-admin|celery|streamlit|jupyter(?:-\w+)?|rails|puma|sidekiq|guard|artisan|hugo|jekyll|mkdocs|http-server|live-server|json-server|browser-sync|http\.server|cargo-watch|air|gradlew?|wrangler|serve)(?=$|[\s./:-])/;
/** An interpreter or runner with its program: `node server.js`, `npm run dev`. */
const RUNS_OWN =
  /^(?:\S*\/)?(?:node|nodejs|npm|npx|pnpm|yarn|bun|deno|python[\d.]*|ruby|php|java|go|cargo|dotnet|bundle|make)\s+\S{2,}/;

/** Ports below 1024 and those of databases, caches, queues and container engines. */
const SERVICE_PORT =
  /(?:^|:)(?:\d{1,3}|10[01]\d|102[0-3]|1433|1521|2375|2376|2379|2380|3306|3389|4222|5432|5433|5672|5984|6379|6443|7474|7687|8086|8500|9042|9092|9200|9300|10250|11211|15672|27017|27018)(?:\/tcp|\/udp)?$/;

/** Killing a development server by a specific pattern is normal work. */
function stopsOwnWork(name: string, args: readonly string[], { program }: MachineFacts): boolean {
  // A process that listens on an unprivileged port is usually the user's own server.
  if (name === 'fuser')
    return (
      args.every((arg) => /^(?:-[kvs]+|-TERM|(?:[2-9]\d{3}|1[1-9]\d\d|\d{5})\/tcp)$/.test(arg)) &&
      args.length < 4 &&
      !args.some((arg) => SERVICE_PORT.test(arg))
    );
  if (name !== 'pkill' && name !== 'pgrep') return false;
  const [pattern = '', ...others] = args.filter((arg) => !arg.startsWith('-'));
  const plain = args.every(
    (arg) =>
      !arg.startsWith('-') || /^(?:-[fxno9]+|-\d+|-(?:SIG)?(?:TERM|INT|KILL|HUP|QUIT)|--full|--exact)$/.test(arg),
  );
  return (
    plain &&
    others.length === 0 &&
    !/[*|]/.test(pattern) &&
    (DEVELOPMENT.test(pattern) || RUNS_OWN.test(pattern)) &&
    !matchesHermes(pattern, program?.commandLine ?? '')
  );
}

/** Whether a pattern matches the command line of the running agent. */
function matchesHermes(pattern: string, commandLine: string): boolean {
  if (/hermes/i.test(pattern)) return true;
  try {
    return commandLine !== '' && pattern.length < 200 && new RegExp(pattern).test(commandLine);
  } catch {
    // Not a pattern for pkill either, or one with another syntax.
    return commandLine.includes(pattern);
  }
}

/** Pids of a service: by its port, by its file in `/run`, from the list of all processes, or by a file of Hermes. */
function findsService({ name, args, directory }: Source, { hermesHomes }: MachineFacts): boolean {
  // Without a selection, lsof prints the pids of all processes.
  if (name === 'lsof' && args.every((arg) => /^-[tniPlbwV]+$/.test(arg))) return true;
  if (name === 'lsof' || name === 'ss' || name === 'netstat')
    return args.some(
      (arg, index) =>
        /:\d+-\d+$/.test(arg) ||
        (/^-\w*i|^:\d/.test(arg) && SERVICE_PORT.test(arg.replace(/^-\w*i/, ''))) ||
        (/^-\w*i$/.test(args[index - 1] ?? '') && SERVICE_PORT.test(arg)) ||
        hermesHomes.some((home) => isWithin(arg.replace(/^~/, dirname(home)), home)),
    );
  return args.some((arg) => /^\/(?:var\/)?run\/|^\/proc\/?(?:$|\*|\[)/.test(arg)) || directory === '/proc';
}

/** Programs that list processes of all kinds. */
const FINDS_ALL = new Set(['nvidia-smi', 'rocm-smi', 'top', 'pstree', 'squeue', 'qstat', 'w', 'who']);

/** Whether the pids come from a search for processes. */
function killsWhatIsFound({ name, args, fedBy }: ShellCommand, facts: MachineFacts): boolean {
  if (name !== 'kill' && !args.includes('kill')) return false;
  if (args.includes('-0')) return false;
  // `for p in /proc/[0-9]*; do kill "${p#/proc/}"`: a pattern stands for every process.
  if (args.some((arg) => /[*?[]|^\/proc\//.test(arg))) return true;
  return fedBy.some(
    (source) =>
      FINDS_ALL.has(source.name) ||
      (['pgrep', 'ps', 'pidof', 'jps'].includes(source.name) && !stopsOwnWork(source.name, source.args, facts)) ||
      findsService(source, facts),
  );
}
