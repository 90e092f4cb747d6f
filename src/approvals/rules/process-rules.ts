import type { ShellCommand } from '../shell/shell-command.ts';
import { askedForHelp, type CommandRule, hasOption, saysOneOf } from './rule.ts';

const SERVICES = 'stop or change services';
const KILL = 'kill many processes';

/** Services and processes. */
export const PROCESS_RULES: readonly CommandRule[] = [
  {
    rule: SERVICES,
    commands: ['systemctl'],
    when: ({ args }) =>
      /^(?:stop|disable|mask|kill|restart|isolate|revert|try-restart|set-default|daemon-reexec|rescue|emergency)$/.test(
        args.find((arg) => !arg.startsWith('-')) ?? '',
      ),
  },
  {
    rule: SERVICES,
    everydayName: true,
    commands: [
      'service',
      'rc-service',
      'initctl',
      'sv',
      'supervisorctl',
      'launchctl',
      'stop',
      'rc-update',
      'update-rc.d',
      'chkconfig',
      's6-svc',
    ],
    when: (command) =>
      saysOneOf(command, [
        'stop',
        'restart',
        'unload',
        'bootout',
        'down',
        'remove',
        'disable',
        'shutdown',
        'kill',
        'del',
        'off',
        'load',
        'bootstrap',
      ]),
  },
  {
    rule: SERVICES,
    when: ({ source, args }) =>
      /(?:^|\s)\/etc\/(?:init|rc)\.d\/\S+/.test(source) && /^(?:stop|restart)$/.test(args[0] ?? ''),
  },
  {
    rule: SERVICES,
    commands: [
      'brew',
      'pm2',
      'forever',
      'sc',
      'sc.exe',
      'net',
      'net.exe',
      'nginx',
      'apachectl',
      'pg_ctl',
      'pg_ctlcluster',
    ],
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
    rule: KILL,
    commands: ['killall', 'pkill', 'skill', 'fuser', 'taskkill', 'taskkill.exe', 'xkill', 'slay'],
    everydayName: true,
    reviewable: true,
    when: (command) =>
      !askedForHelp(command) &&
      !hasOption(command, 'l', 'list') &&
      (command.name !== 'fuser' || hasOption(command, 'k')),
  },
  { rule: KILL, commands: ['kill', 'xargs'], reviewable: true, aboutInput: true, when: killsWhatIsFound },
  {
    rule: KILL,
    commands: ['kill'],
    when: ({ args }) =>
      args.at(-1) === '1' && (args.length === 1 || args.length === 2) && args[0] !== '-0' && args[0] !== '-l',
  },
];

/** Everything that a search for processes finds, by whatever name. */
function killsWhatIsFound({ name, args, fedBy }: ShellCommand): boolean {
  if (name !== 'kill' && !args.includes('kill')) return false;
  return !args.includes('-0') && fedBy.some((source) => ['pgrep', 'ps', 'pidof', 'jps'].includes(source.name));
}
