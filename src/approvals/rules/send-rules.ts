import { splitCopy, uploadsOf } from '../files/copy-arguments.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { operandsWithout } from '../files/path-argument.ts';
import { isInterpreter } from '../shell/script-files.ts';
import { optionValues, type ShellCommand, type Source } from '../shell/shell-command.ts';
import { findRemoteHosts, hostOf } from '../files/hosts.ts';
import { tableRule } from './program-table.ts';
import { type CommandRule, isHelpOrDryRun } from './rule.ts';
import { SENDERS, STORAGE, STORAGE_VALUES } from './send-programs.ts';

const SEND = 'send files to another machine';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\]|0\.0\.0\.0|ip6-localhost)$/i;
/** Names that resolve only on this machine or in its container network. */
const LOCAL_NAME = /^(?:[^.:]+|host\.docker\.internal|.*\.(?:local|localhost|test|internal))$/i;
/** Services to which builds upload their own results. */
const BUILD_SERVICE = /^(?:uploads\.github\.com|(?:[\w-]+\.)?codecov\.io|coveralls\.io)$/i;

/** Whether a host is this machine or one to which the project is pushed anyway. */
function isOwnHost(host: string, { workingDirectory }: MachineFacts): boolean {
  const name = host.toLowerCase();
  return LOOPBACK.test(name) || (name !== '' && findRemoteHosts(workingDirectory).has(name));
}

/** The host of `user@host:path`, `host::module` and `scheme://host/path`; undefined for a path of this machine. */
function hostOfTarget(target: string): string | undefined {
  const address = /^(?:rsync|scp|sftp|ssh):\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^/:]*)/i.exec(target);
  if (address !== null) return address[1] ?? '';
  const found = /^(?:[^@/:]*@)?(\[[^\]]+\]|[^/:]+):/.exec(target)?.[1];
  return found === undefined || /^[a-zA-Z]$/.test(found) ? undefined : found;
}

const onlySimulates = (command: ShellCommand) =>
  isHelpOrDryRun(command) ||
  command.args.some((arg) => arg === '--dryrun' || (command.name === 'rsync' && /^-[a-zA-Z]*n[a-zA-Z]*$/.test(arg)));

/** `scp file host:` and `rsync folder host:folder`. */
function copiesAway(command: ShellCommand, facts: MachineFacts): boolean {
  if (command.suspected || onlySimulates(command)) return false;
  const { sources, target = '' } = splitCopy({ name: command.name === 'rsync' ? 'rsync' : 'scp', args: command.args });
  const host = sources.length === 0 ? undefined : hostOfTarget(target);
  return host !== undefined && !isOwnHost(host, facts);
}

/** Commands of transfer programs that upload. */
const UPLOADS = /(?:^|[\n;])\s*(?:m?put|reput|send|mirror\s+(?:\S+\s+)*(?:-\w*R|--reverse))\b/;

/** `sftp host <<< 'put x'`, `lftp -e 'mirror -R x'`, and commands in a file, which are not known. */
function uploadsByCommand({ name, args, input, redirects, suspected }: ShellCommand, facts: MachineFacts): boolean {
  if (suspected) return false;
  const operands = operandsWithout(args, name === 'lftp' ? /^-[ecufp]$/ : /^-[bciFJlopPS]$/);
  const host = hostOf((operands[0] ?? '').replace(/^([^/:]+):.*$/, '$1'));
  if (host !== '' && isOwnHost(host, facts)) return false;
  const given = [input ?? '', ...optionValues(args, /^-[ec](.*)$/)];
  if (given.some((text) => UPLOADS.test(text))) return true;
  if (name !== 'sftp') return redirects.some(({ operator }) => operator === '<');
  return (
    redirects.some(({ operator, target }) => operator === '<' && target !== '/dev/null') ||
    optionValues(args, /^-b(.*)$/).some((file) => file !== '-')
  );
}

/** Programs whose output was composed on the command line or fetched, and interpreters, whose output is not known. */
const COMPOSES =
  /^(?:echo|printf|print|jq|gojq|jaq|envsubst|yes|date|seq|true|:|sleep|uuidgen|curl|wget|https?|xh|sudo|env|time|\[|test|set|export|read|dig)$/;
const composes = ({ name, args }: Source) =>
  COMPOSES.test(name) || (isInterpreter(name) && !args.some((arg) => /\b(?:open|read\w*|dump)\s*\(/.test(arg)));

/** Whether a command gets data on its input: from a file, or from a program that prints files. */
function getsData({ redirects, fedBy, pipeline }: ShellCommand): boolean {
  const given = redirects.some(({ operator, target }) => operator === '<' && target !== '/dev/null');
  return given || (pipeline?.includes('|') === true && fedBy.some((source) => !composes(source)));
}

const SSH_VALUES = /^-[BbcDEeFIiJLlmOoPpQRSWw]$/;

/** `tar c . | ssh host 'cat > x'`. */
function pipesToHost(command: ShellCommand, facts: MachineFacts): boolean {
  if (command.suspected || !getsData(command)) return false;
  const [target = ''] = operandsWithout(command.args, SSH_VALUES);
  return !isOwnHost(hostOf(target.replace(/^ssh:\/\//, '')), facts);
}

/** `nc host port < file`, `pg_dump | ncat --ssl host port`. Serving a file to any client counts as well. */
function connectsWithData(command: ShellCommand, facts: MachineFacts): boolean {
  const { args, suspected } = command;
  if (suspected || args.some((arg) => /^-[a-zA-Z]*[zU]/.test(arg)) || !getsData(command)) return false;
  const [host = ''] = operandsWithout(args, /^-[ieIoOpPqsTVwWxXmgG]$|^--(?:proxy|source|wait|idle-timeout)$/).filter(
    (arg) => !/^\d+$/.test(arg),
  );
  return host === '' || !isOwnHost(host, facts);
}

const NETWORK_ADDRESS =
  /^(?:TCP\d?|TCP\d?-CONNECT|UDP\d?|UDP\d?-(?:SENDTO|DATAGRAM)|SSL|OPENSSL(?:-CONNECT)?|SOCKS\w+|PROXY|SCTP\d?|VSOCK-CONNECT|QUIC):(\[[^\]]+\]|[^:,]*)/i;
const FILE_ADDRESS = /^(?:-u\s*)?(?:FILE|OPEN|GOPEN|CREATE|SYSTEM|EXEC|PIPE):|^[./~]/i;

/** `socat -u FILE:x TCP:host:port`. */
function connectsBySocat(command: ShellCommand, facts: MachineFacts): boolean {
  const { args, suspected } = command;
  const addresses = args.filter((arg) => !/^-\w/.test(arg));
  const hasData = addresses.some((arg) => FILE_ADDRESS.test(arg)) || getsData(command);
  if (suspected || !hasData) return false;
  return addresses.some((arg) => {
    const host = NETWORK_ADDRESS.exec(arg)?.[1];
    return /^\w+-LISTEN:/i.test(arg)
      ? !/bind=(?:localhost|127\.)/.test(arg)
      : host !== undefined && !isOwnHost(host, facts);
  });
}

/** Files that hold the body of a request. */
const PAYLOAD = /\.(?:json5?|ndjson|jsonl|xml|graphqls?|gql|ya?ml|soap|proto(?:bin)?|form|txt|html?|tmpl|md)$/i;

/** Files of a project that describe it, whatever their format is. */
const DESCRIBES_PROJECT =
  /(?:^|\/)(?:(?:docker-)?compose[\w.-]*|package(?:-lock)?|appsettings[\w.-]*|application(?:-\w+)?|(?:app|local)?settings|wp-config|pnpm-lock|\.gitlab-ci|serverless|inventory|hosts)\.(?:json|ya?ml|xml|txt)$/i;
/** Services have names; an address without one is somebody's machine. */
const PUBLIC_ADDRESS = /^(?:https?:\/\/)?(?:[^@/]*@)?\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:\/|$)/;

/** Whether a request sends a file, apart from one that holds its body. */
function sendsFile(command: ShellCommand): boolean {
  const { files, bodies } = uploadsOf(command);
  const isStdin = (file: string) => file === '-' || file === '.';
  const toMachine = command.args.some((arg) => PUBLIC_ADDRESS.test(arg));
  const isBody = (file: string) => PAYLOAD.test(file) && !DESCRIBES_PROJECT.test(file) && !toMachine;
  if (!/^(?:curl|wget2?)$/.test(command.name) && getsData(command)) return true;
  return [...files, ...bodies.filter((file) => isStdin(file) || !isBody(file))].some(
    (file) => !isStdin(file) || getsData(command),
  );
}

/** Programs that print a whole file or database. */
const PRINTS_WHOLE =
  /^(?:cat|tac|base64|base32|xxd|od|tar|zip|gzip|xz|zstd|sqlite3|pg_dump(?:all)?|mysqldump|mongodump|uuencode|openssl)$/;

/** `curl -d "$(cat file)"`. */
function substitutesFile({ name, args, fedBy, pipeline }: ShellCommand): boolean {
  if (pipeline?.includes('|') === true || !/^(?:curl|wget2?|https?|xh)$/.test(name)) return false;
  const bodies = args.filter((arg) => /\$\(|`/.test(arg) && !/^https?:\/\/[^$`]*$/.test(arg));
  return (
    bodies.length > 0 &&
    fedBy.some(
      (source) =>
        PRINTS_WHOLE.test(source.name) && source.args.some((arg) => /\w\.\w+$/.test(arg) && !PAYLOAD.test(arg)),
    )
  );
}

/** Programs that say who and what this machine is, or what it holds. */
const DESCRIBES_MACHINE =
  /^(?:whoami|id|hostname|hostnamectl|ifconfig|ip|ps|who|w|last|history|arp|netstat|ss|mount|lsblk|ls|find|tree|crontab|dmesg|lsof|getent|groups)$/;

/** `curl https://…/$(whoami)`: the address carries the output of a command after its host. */
function describesMachine({ args, fedBy }: ShellCommand): boolean {
  return (
    args.some((arg) => /^(?:\w+:\/\/)?[^/\s$`]+\.[^/\s$`]+[/?#]\S*(?:\$\(|`)/.test(arg)) &&
    fedBy.some(
      (source) => DESCRIBES_MACHINE.test(source.name) || (source.name === 'uname' && source.args.includes('-a')),
    )
  );
}

/** `curl -K <(…)`: the options are not known. */
const takesUnknownOptions = ({ name, args }: ShellCommand) =>
  name === 'curl' && optionValues(args, /^(?:-[a-zA-Z]*K|--config=?)(.*)$/).some((file) => /^(?:-$|<\()/.test(file));

/** `mail ann@example.com < archive`; a text is a letter. */
function mailsFile({ redirects, fedBy, pipeline, suspected }: ShellCommand): boolean {
  if (suspected) return false;
  const isLetter = (file: string) => PAYLOAD.test(file) || /\.(?:eml|log|diff|patch|out)$|(?:^|\/)[^.]+$/i.test(file);
  return (
    redirects.some(({ operator, target }) => operator === '<' && !isLetter(target)) ||
    (pipeline?.includes('|') === true &&
      fedBy.some(
        ({ name, args }) =>
          PRINTS_WHOLE.test(name) &&
          (!/^(?:cat|tac)$/.test(name) || args.some((arg) => /\.\w/.test(arg) && !isLetter(arg))),
      ))
  );
}

/** The host that a request goes to; empty if it is not known. */
function hostsOfRequest(args: readonly string[]): string[] {
  const operands = operandsWithout(
    args,
    /^(?:-[a-zA-Z]*[TFdHuAoXbcemxKEw]|--(?:upload-file|form|data\S*|json|header|user|user-agent|output|request|cookie|max-time|proxy|cert|key|cacert|write-out|retry|resolve|connect-timeout))$/,
  );
  return [...operands, ...optionValues(args, /^--url=?(.*)$/)]
    .filter((arg) => /:\/\/|^[\w-]+(?:\.[\w-]+)+(?:[:/?]|$)|^localhost\b|^\$/.test(arg))
    .map((arg) => hostOf(arg.replace(/^(\w+:\/\/[^/?#$`]+|[^/?#$`:]+)[/?#].*$/s, '$1')));
}

/** `curl -T file https://…`. A request to this machine or to a service in its container network sends nothing away. */
function uploadsByRequest(command: ShellCommand, facts: MachineFacts): boolean {
  if (command.suspected) return false;
  if (takesUnknownOptions(command)) return true;
  if (!sendsFile(command) && !substitutesFile(command) && !describesMachine(command)) return false;
  const hosts = hostsOfRequest(command.args).filter((host) => host !== '');
  return hosts.some((host) => !LOCAL_NAME.test(host) && !BUILD_SERVICE.test(host) && !isOwnHost(host, facts));
}

/** `aws s3 cp file s3://…`, `rclone copy folder remote:folder`. */
function copiesToStorage(command: ShellCommand): boolean {
  const { name, args, suspected } = command;
  const program = Object.hasOwn(STORAGE, name) ? STORAGE[name] : undefined;
  if (program === undefined || suspected || onlySimulates(command)) return false;
  const operands = operandsWithout(args, STORAGE_VALUES);
  if (!program.verb.test((/^(?:hdfs|hadoop)$/.test(name) ? args : operands).join(' '))) return false;
  const target = operands.at(-1) ?? '';
  return !/:\/\/(?:localhost|127\.)/.test(target) && program.remote.test(target);
}

/** `pg_dump | psql -h other-host`, `mysql -h other-host < dump.sql`: a copy of a whole database. */
function restoresElsewhere(command: ShellCommand, facts: MachineFacts): boolean {
  const { args, fedBy, suspected, pipeline } = command;
  const dumped = fedBy.some(({ name }) =>
    /^(?:pg_dump(?:all)?|mysqldump|mariadb-dump|mongodump|redis-cli|sqlite3)$/.test(name),
  );
  const given = command.redirects.some(({ operator, target }) => operator === '<' && target !== '/dev/null');
  const runsFile = command.name === 'psql' && optionValues(args, /^(?:-[a-zA-Z]*f|--file=?)(.*)$/).length > 0;
  if (suspected || !(given || runsFile || (pipeline?.includes('|') === true && dumped))) return false;
  const hosts = [
    ...optionValues(args, /^(?:-h|--host=?)(.*)$/),
    ...args.flatMap(
      (arg) => /(?:^|=)\w[\w+]*:\/\/(?:[^@/]*@)?([^/:?]+)/.exec(arg)?.[1] ?? /\bhost=(\S+)/.exec(arg)?.[1] ?? [],
    ),
  ];
  return hosts.some((host) => !LOCAL_NAME.test(host) && !isOwnHost(host, facts));
}

const FILE_NAME =
  /\.(?:csv|tsv|sql|db|sqlite3?|zip|gz|tgz|tar|png|jpe?g|pdf|xlsx?|bin|log|dump|env|parquet|yaml|yml)$/i;

/** Code that opens a file and sends it to a host. */
function codeSends(command: ShellCommand, facts: MachineFacts): boolean {
  const { code } = command;
  if (code?.effects.includes('upload')) return true;
  const sendsInput = code?.sendsInput === true && getsData(command);
  if (code === undefined || (code.sendsFiles.length === 0 && !sendsInput)) return false;
  const hosts = code.hosts.filter((host) => !FILE_NAME.test(host));
  const opens = code.sendsFiles.some(
    (path) =>
      /^[~./\w-][^\s]*\.\w{1,6}$/.test(path) &&
      !PAYLOAD.test(path) &&
      !/^[\w.-]+\.(?:com|org|net|io|dev|example)$/.test(path),
  );
  return (
    (opens || sendsInput) &&
    hosts.some((host) => !LOCAL_NAME.test(host) && !BUILD_SERVICE.test(host) && !isOwnHost(host, facts))
  );
}

/** Files of the project that leave this machine for a host that is not one of its git remotes. */
export const SEND_RULES: readonly CommandRule[] = [
  tableRule(SEND, SENDERS),
  {
    rule: SEND,
    commands: 'scp pscp rsync rcp bbcp gsiscp hpnscp mscp rsync-ssl xxh-cp dbscp'.split(' '),
    byArguments: true,
    when: copiesAway,
  },
  {
    rule: SEND,
    commands: ['sftp', 'lftp', 'ftp', 'ncftp', 'psftp', 'yafc'],
    byArguments: true,
    when: uploadsByCommand,
  },
  {
    rule: SEND,
    commands: ['ssh', 'dbclient', 'plink', 'rsh', 'mosh', 'autossh'],
    byArguments: true,
    aboutInput: true,
    when: pipesToHost,
  },
  {
    rule: SEND,
    commands: 'nc ncat netcat nc.openbsd nc.traditional telnet cryptcat websocat rustcat rcat pwncat sbd'.split(' '),
    byArguments: true,
    aboutInput: true,
    when: connectsWithData,
  },
  {
    rule: SEND,
    commands: ['openssl'],
    byArguments: true,
    aboutInput: true,
    when: (command, facts) =>
      command.args[0] === 's_client' &&
      !command.suspected &&
      getsData(command) &&
      !isOwnHost(hostOf(optionValues(command.args, /^-connect()$/)[0] ?? ''), facts),
  },
  { rule: SEND, commands: ['socat'], byArguments: true, aboutInput: true, when: connectsBySocat },
  {
    rule: SEND,
    commands: 'curl wget wget2 http https xh xhs httpie curlie'.split(' '),
    byArguments: true,
    aboutInput: true,
    when: uploadsByRequest,
  },
  { rule: SEND, commands: Object.keys(STORAGE), byArguments: true, when: copiesToStorage },
  {
    rule: SEND,
    commands: ['psql', 'mysql', 'mariadb', 'pg_restore', 'mongorestore', 'redis-cli'],
    byArguments: true,
    aboutInput: true,
    when: restoresElsewhere,
  },
  {
    rule: SEND,
    commands: 'mail mailx s-nail sendmail msmtp mutt neomutt ssmtp'.split(' '),
    byArguments: true,
    aboutInput: true,
    when: mailsFile,
  },
  { rule: SEND, when: codeSends },
];
