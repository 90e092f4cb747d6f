import { existsSync, rmSync } from 'node:fs';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import { quoteWord } from '../../util/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';
import { type LeadingProgram, runBeforeLeaving, throughProgram } from '../remote/program-channel.ts';
import type { RemoteConnection } from '../remote/remote-connection.ts';
import { runProgram, type ProgramResult } from '../run-program.ts';
import { createSshSocket } from './ssh-socket.ts';

export type SshTarget = {
  /** A name of the person's ssh configuration, or an address. */
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  /** The file of a private key. */
  key?: string | undefined;
};

/** What `ssh` exits with when it is at fault itself, and not the command. */
const SSH_FAILED = 255;
/** How long an unused connection stays, if nobody is left to close it. */
const PERSIST_SECONDS = 600;

/** Nothing of this machine goes along: no agent, no display, no forwarded ports. Nobody is there to be asked. */
const OPTIONS = [
  'BatchMode=yes',
  'ConnectTimeout=15',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ClearAllForwardings=yes',
  'PermitLocalCommand=no',
  'RemoteCommand=none',
  'EscapeChar=none',
  'LogLevel=ERROR',
].flatMap((option) => ['-o', option]);

export function createSshConnection(
  target: SshTarget,
  env: Record<string, string>,
  exitTasks: ExitTasks,
): RemoteConnection {
  if (target.host.startsWith('-')) throw new ConfigurationError(`terminal.ssh_host is no host: ${target.host}`);
  let opening: Promise<void> | undefined;
  const socket = createSshSocket(exitTasks, () => runBeforeLeaving('ssh', exit(), env));
  const base = (...options: string[]) => [
    ...options.flatMap((option) => ['-o', option]),
    '-S',
    socket.path(),
    ...OPTIONS,
    ...targetArguments(target),
  ];

  const exit = () => [...base(), '-O', 'exit', '--', target.host];

  async function connect(): Promise<void> {
    rmSync(socket.path(), { force: true });
    const options = ['ControlMaster=yes', `ControlPersist=${PERSIST_SECONDS}`, 'RequestTTY=no'];
    const { code, errors } = await runSsh([...base(...options), '-N', '-f', '--', target.host], env);
    if (code !== 0) throw explainSshError(errors, target);
  }

  const args: LeadingProgram['args'] = (script, parameters, { shell = '/bin/sh', terminal = false } = {}) => {
    const words = [shell, '-c', script, shell, ...parameters].map(quoteWord).join(' ');
    const tty = `RequestTTY=${terminal ? 'force' : 'no'}`;
    return [...base('ControlMaster=no', tty), '--', target.host, `exec ${words}`];
  };
  const connection: RemoteConnection = {
    ...throughProgram({ program: 'ssh', env, args, endsWithTerminal: true }),
    hasFailed: (code) => code === SSH_FAILED,
    async open() {
      if (opening !== undefined && existsSync(socket.path())) return opening;
      opening = connect();
      // The next one tries again.
      await opening.catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
    },
    async run(script, parameters, input) {
      for (let attempt = 1; ; attempt++) {
        await connection.open();
        const result = await runSsh(args(script, parameters), env, input);
        if (result.code !== SSH_FAILED) return result;
        if (attempt === 2) throw explainSshError(result.errors, target);
        // The connection was lost. These scripts can all be run twice.
        opening = undefined;
      }
    },
    explain: (errors) => explainSshError(errors, target),
    async close() {
      if (!socket.isMade()) return;
      await runSsh(exit(), env).catch(() => undefined);
      socket.remove();
      opening = undefined;
    },
  };
  return connection;
}

function targetArguments({ user, port, key }: SshTarget): string[] {
  return [
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(key === undefined ? [] : ['-i', key]),
  ];
}

async function runSsh(
  args: readonly string[],
  env: Record<string, string>,
  input?: Uint8Array,
): Promise<ProgramResult> {
  return runProgram('ssh', args, { env, input }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'ENOENT') throw thrown;
    throw new ConfigurationError('terminal.backend is ssh, but the program ssh is not installed.', {
      hint: 'Install the OpenSSH client, for example with "apt install openssh-client".',
    });
  });
}

const CAUSES: readonly (readonly [RegExp, string, string])[] = [
  [
    /host key verification failed|host identification has changed/i,
    'its host key is not known, or is not the one that is known',
    'Connect once by hand with ssh, compare the key, and accept it.',
  ],
  [
    /permission denied|too many authentication failures/i,
    'the login was refused',
    'Check terminal.ssh_user and terminal.ssh_key. Nobody can type a password here: use a key, and for one with a passphrase an agent.',
  ],
  [
    /could not resolve/i,
    'there is no such host',
    'Check terminal.ssh_host: a name of your ssh configuration, or an address.',
  ],
  [
    /refused|timed out|timeout|no route|unreachable|closed|reset|broken pipe/i,
    'it cannot be reached',
    'Check terminal.ssh_host and terminal.ssh_port, and whether the machine is up.',
  ],
];

function explainSshError(errors: string, { host }: SshTarget): HermesError {
  const text = errors.trim().split('\n').at(-1) ?? '';
  const [, what = 'ssh failed', hint] = CAUSES.find(([pattern]) => pattern.test(errors)) ?? [];
  const said = text === '' ? '' : ` (${text})`;
  return new HermesError(`No connection to ${host}: ${what}${said}.`, hint === undefined ? {} : { hint });
}
