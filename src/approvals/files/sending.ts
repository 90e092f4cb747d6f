import type { ShellCommand, Source } from '../shell/shell-command.ts';
import { readsSecrets } from './secrets.ts';
import type { Facts } from './targets.ts';

/** Programs that can carry data to another machine. */
const SENDERS = new Set([
  ...['curl', 'wget', 'nc', 'ncat', 'netcat', 'socat', 'scp', 'sftp', 'ftp', 'telnet', 'http', 'https', 'xh', 'rclone'],
  ...[
    'mail',
    'sendmail',
    'mutt',
    'dig',
    'nslookup',
    'host',
    'ping',
    'ssh',
    'aws',
    'gsutil',
    'rsync',
    'croc',
    'transfer',
  ],
]);
/** Programs that print all variables, and with them every key in the environment. */
const PRINTS_ENVIRONMENT = new Set(['env', 'printenv', 'set', 'export', 'declare', 'compgen']);
/** Files that are nobody else's business, though reading them here is everyday work. */
const PERSONAL =
  /(?:^|\/)\.env(?:\.\w+)?$|\/etc\/(?:passwd|shadow|hosts|sudoers)$|\/\.(?:bash|zsh)_history$|\.(?:pem|key|p12|pfx|kdbx)$|\/\.ssh(?:\/|$)/;

/** Whether a command hands secrets, or files that hold some, to another machine. */
export function isSecretToSend(command: ShellCommand, facts: Facts): boolean {
  const { name, args, fedBy, redirects } = command;
  if (!SENDERS.has(name) || command.suspected) return false;
  if (name === 'ssh' || name === 'rsync' || name === 'aws')
    return fedBy.some((source) => isSecretSource(source, command, facts));
  const uploads = args.some((arg, index) => {
    const path =
      /^(?:[\w.-]+=)?@(.+)$/.exec(arg)?.[1] ??
      (/^(?:-T|--upload-file|--data-binary|-d|--post-file)$/.test(args[index - 1] ?? '')
        ? arg.replace(/^@/, '')
        : (/^--(?:post-file|upload-file|data\w*)=@?(.+)$/.exec(arg)?.[1] ?? ''));
    return PERSONAL.test(path) && !/\s/.test(path);
  });
  const copied =
    /^(?:scp|rclone|sftp|croc)$/.test(name) &&
    args.slice(0, -1).some((arg) => PERSONAL.test(arg) && !args.at(-1)?.startsWith('.'));
  const given = redirects.some(({ operator, target }) => operator === '<' && PERSONAL.test(target));
  return uploads || copied || given || fedBy.some((source) => isSecretSource(source, command, facts));
}

function isSecretSource(source: Source, command: ShellCommand, facts: Facts): boolean {
  if (PRINTS_ENVIRONMENT.has(source.name)) return source.args.every((arg) => arg.startsWith('-'));
  if (source.args.some((arg) => PERSONAL.test(arg)) && !['ssh', 'curl', 'source', '.', 'grep'].includes(source.name))
    return true;
  return readsSecrets(
    { ...command, name: source.name, args: [...source.args], redirects: [], directory: source.directory },
    facts,
  );
}
