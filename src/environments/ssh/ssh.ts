import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import type { Environment } from '../../contracts/index.ts';
import { quoteShellWord } from '../../util/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { type ConnectingProgram, runAtExit, connectWithProgram } from '../remote/connecting-program.ts';
import { CONNECTION_LOST } from '../remote/remote-child.ts';
import type { RemoteConnection } from '../remote/remote-connection.ts';
import { connectToMachine, createRemoteEnvironment } from '../remote/remote-environment.ts';
import { type ProgramResult, runProgram } from '../run-program.ts';
import { createChannelPool } from './channel-pool.ts';
import { SHELL_LOOP } from './shell-requests.ts';

/**
 * In a temporary directory with a longer path, the socket path could become too long: it is limited to about 100
 * characters, and ssh temporarily appends some.
 */
const MAX_TEMPORARY_LENGTH = 60;
/** The exit code of `ssh` for its own errors. */
const SSH_FAILED = 255;
/** How long an idle connection persists if nothing closes it. */
const PERSIST_SECONDS = 600;
/** No agent, display or port forwarding, and no prompts. */
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
const CAUSES: readonly (readonly [RegExp, string, string])[] = [
  [
    /host key verification failed|host identification has changed/i,
    'its host key is unknown or has changed',
    'Connect once manually with ssh, verify the key, and accept it.',
  ],
  [
    /permission denied|too many authentication failures/i,
    'the login was rejected',
    'Check terminal.ssh_user and terminal.ssh_key. Passwords cannot be entered here: use a key, and an ssh agent for a key with a passphrase.',
  ],
  [
    /could not resolve/i,
    'the host was not found',
    'Check terminal.ssh_host. It must be a host of your ssh configuration or an address.',
  ],
  [
    /refused|timed out|timeout|no route|unreachable|closed|reset|broken pipe/i,
    'the host cannot be reached',
    'Check terminal.ssh_host and terminal.ssh_port, and whether the machine is running.',
  ],
];

export type SshOptions = SshTarget & {
  /** The remote working directory; the remote home directory by default. */
  workingDirectory?: string | undefined;
  /** The environment variables of `ssh` itself; none is sent to the remote machine. */
  env?: Readonly<Record<string, string | undefined>>;
  exitTasks?: ExitTasks | undefined;
};

/**
 * Creates the environment of another machine, which is accessed through the OpenSSH client with the user's
 * configuration.
 */
export async function createSshEnvironment(options: SshOptions): Promise<Environment> {
  const exitTasks = options.exitTasks ?? createExitTasks();
  const connection = createSshConnection(options, childEnvironment(options.env ?? process.env), exitTasks);
  const machine = await connectToMachine(connection, options.host, options.workingDirectory ?? '~');
  const description = {
    name: 'ssh',
    location: nameMachine(options),
    system: `${machine.system} on the machine ${options.host}, reached over ssh`,
    // Changes on another machine of the user need approval too.
    isolated: false,
  };
  return createRemoteEnvironment(machine, description, exitTasks);
}

/** The name that the user chose. Two names of one machine count as two locations, which is harmless. */
function nameMachine({ host, user, port }: SshTarget): string {
  return `ssh ${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}

type SshTarget = {
  /** A host alias of the user's ssh configuration, or an address. */
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  /** Path of a private key file. */
  key?: string | undefined;
};

function createSshConnection(target: SshTarget, env: Record<string, string>, exitTasks: ExitTasks): RemoteConnection {
  if (target.host.startsWith('-'))
    throw new ConfigurationError(`terminal.ssh_host: ${target.host} is not a valid host name.`);
  let opening: Promise<void> | undefined;
  const socket = createSshSocket(exitTasks, () => runAtExit('ssh', lines.exit(), env));
  const lines = sshCommandLines(target, socket.path);
  const { startTerminal, runAtExit: runNow } = connectWithProgram({
    program: 'ssh',
    env,
    args: lines.run,
    endsWithTerminal: true,
  });
  const pool = createChannelPool(() => spawnSsh(lines.run(SHELL_LOOP, []), env));

  async function connect(): Promise<void> {
    rmSync(socket.path(), { force: true });
    const { code, errors } = await runSsh(lines.connect(), env);
    if (code !== 0) throw explainSshError(errors, target);
    // They belonged to the connection that was lost.
    pool.clear();
  }

  const connection: RemoteConnection = {
    startTerminal,
    runAtExit: runNow,
    startsOnce: true,
    hasFailed: (code) => code === SSH_FAILED || code === CONNECTION_LOST,
    async open() {
      if (opening !== undefined && existsSync(socket.path())) return opening;
      opening = connect();
      // The next call retries.
      await opening.catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
    },
    async begin({ shell, script, parameters, input, claim = '' }) {
      const words = [shell, '-c', script, shell, ...parameters];
      const child = pool.take().begin(words, { claim, exclusive: input });
      // The command keeps its channel, so the next one needs another.
      if (input) pool.prepare();
      return child;
    },
    async run(script, parameters, input) {
      const words = ['/bin/sh', '-c', script, '/bin/sh', ...parameters];
      for (let attempt = 1; ; attempt++) {
        await connection.open();
        const channel = input === undefined ? pool.share() : pool.take();
        const result = await channel.run(words, input);
        if (result.code !== CONNECTION_LOST) return result;
        if (attempt === 2) throw explainSshError(result.errors, target);
        // The connection was lost. All these scripts can safely be run twice.
        opening = undefined;
      }
    },
    explain: (errors) => explainSshError(errors, target),
    async close() {
      if (!socket.isMade()) return;
      pool.clear();
      await runSsh(lines.exit(), env).catch(() => undefined);
      socket.remove();
      opening = undefined;
    },
  };
  return connection;
}

/** The arguments of `ssh`. All processes use the connection of the first one through its control socket. */
function sshCommandLines(target: SshTarget, socketPath: () => string) {
  const base = (...options: string[]) => [
    ...options.flatMap((option) => ['-o', option]),
    '-S',
    socketPath(),
    ...OPTIONS,
    ...targetArguments(target),
  ];
  const run: ConnectingProgram['args'] = (script, parameters, { shell = '/bin/sh', terminal = false } = {}) => {
    const words = [shell, '-c', script, shell, ...parameters].map(quoteShellWord).join(' ');
    const tty = `RequestTTY=${terminal ? 'force' : 'no'}`;
    return [...base('ControlMaster=no', tty), '--', target.host, `exec ${words}`];
  };
  return {
    run,
    connect() {
      const options = ['ControlMaster=yes', `ControlPersist=${PERSIST_SECONDS}`, 'RequestTTY=no'];
      return [...base(...options), '-N', '-f', '--', target.host];
    },
    exit: () => [...base(), '-O', 'exit', '--', target.host],
  };
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
    throw new ConfigurationError('terminal.backend is ssh, but ssh is not installed.', {
      hint: 'Install the OpenSSH client, for example with "apt install openssh-client".',
    });
  });
}

/** Starts `ssh` with its own streams. It must not receive Ctrl-C from the terminal. */
function spawnSsh(args: readonly string[], env: Record<string, string>): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn('ssh', args, { env, detached: true, stdio: 'pipe' });
}

function explainSshError(errors: string, { host }: SshTarget): HermesError {
  const text = errors.trim().split('\n').at(-1) ?? '';
  const [, what = 'ssh failed', hint] = CAUSES.find(([pattern]) => pattern.test(errors)) ?? [];
  const said = text === '' ? '' : ` (${text})`;
  return new HermesError(`Could not connect to ${host}: ${what}${said}.`, hint === undefined ? {} : { hint });
}

/** The control socket of a connection, in a private folder that is created on first use. */
type SshSocket = {
  path(): string;
  isMade(): boolean;
  remove(): void;
};

/** `onLeave` closes the connection when Hermes exits without closing it; the folder is removed either way. */
function createSshSocket(exitTasks: ExitTasks, onLeave: () => void): SshSocket {
  let folder: string | undefined;
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
    exitTasks.remove(leave);
  };
  function leave(): void {
    onLeave();
    remove();
  }
  return {
    path() {
      if (folder === undefined) {
        folder = mkdtempSync(join(tmpdir().length <= MAX_TEMPORARY_LENGTH ? tmpdir() : '/tmp', 'hermes-ssh-'));
        exitTasks.add(leave);
      }
      return join(folder, 's');
    },
    isMade: () => folder !== undefined,
    remove,
  };
}
