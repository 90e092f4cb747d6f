import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { ExitTasks } from '../exit-tasks.ts';
import { type LaunchedCommand, launchSync } from '../launched-command.ts';
import { newProcessTag, PROCESS_TAG_VARIABLE, shellFlags } from '../shell-script.ts';
import type { ShellStart, ShellWrapper } from './shell-host.ts';

type Spawn = typeof import('node:child_process').spawn;

export type WaitingShellOptions = {
  shell: string;
  /** The variables of the shell, without those of one call. */
  env: Record<string, string>;
  wrapper: ShellWrapper;
  /** The folder of the files that Hermes writes for shells. */
  folder(): string;
  exitTasks: ExitTasks;
};

/** The shell that runs the next command, started in advance because starting a sandbox takes longer than most commands. */
export interface WaitingShell {
  /** Lets the waiting shell run a command; undefined if there is none that sees what a new one would see. */
  use(start: ShellStart): { launched: LaunchedCommand<ChildProcess>; mark: string; done(): void } | undefined;
  /** Starts the shell for the next command. */
  refill(spawn: Spawn): void;
  close(): void;
}

type Waiting = {
  launched: LaunchedCommand<ChildProcess>;
  mark: string;
  env: Record<string, string>;
  /** What the shell sees; another identity needs another shell. */
  identity: string;
  request: string;
  hasExited: boolean;
};

/**
 * Waits for a line on file descriptor 3, and then becomes the shell that the request file describes. The file has the
 * directory, the names of variables to unset, variables to set, and the arguments of the shell.
 */
const BOOT = `IFS= read -r -u 3 || exit 125; exec 3<&-
mapfile -d "" -t r <"$1"; set -- "\${r[@]:3+r[1]+r[2]}"
cd -- "\${r[0]}" || exit 126
unset -v OLDPWD "\${r[@]:3:r[1]}"
((r[2])) && export -- "\${r[@]:3+r[1]:r[2]}"
unset -v r REPLY; exec "$BASH" "$@"`;

export function createWaitingShell(options: WaitingShellOptions): WaitingShell {
  const { shell, env, wrapper, folder, exitTasks } = options;
  let waiting: Waiting | undefined;
  /** Determined for the last command. If it is outdated by the time it is used, the identity shows that. */
  let known: ReturnType<ShellWrapper['prefix']> | undefined;
  let count = 0;
  let isClosed = false;

  function discard(): void {
    const discarded = waiting;
    waiting = undefined;
    if (discarded === undefined) return;
    exitTasks.remove(discarded.launched.killSync);
    if (!discarded.hasExited) discarded.launched.child.kill('SIGKILL');
  }

  function start(spawn: Spawn): Waiting {
    const prefix = known ?? wrapper.prefix('/');
    known = undefined;
    const mark = newProcessTag();
    const marks = [env[PROCESS_TAG_VARIABLE], mark].filter((part) => part !== undefined).join(' ');
    const request = join(folder(), `start-${(count += 1)}`);
    const own = { ...env, [PROCESS_TAG_VARIABLE]: marks };
    const args = [...prefix.args, shell, ...shellFlags(shell), '-c', BOOT, shell, request];
    const launched = launchSync(spawn, {
      file: prefix.file,
      args,
      directory: '/',
      env: own,
      mark,
      holder: wrapper.supervisor,
      input: false,
      errors: true,
      signal: true,
    });
    const { identity } = prefix;
    const made: Waiting = { launched, mark, env: own, identity, request, hasExited: launched.child.pid === undefined };
    const exited = () => void (made.hasExited = true);
    launched.child.once('exit', exited);
    launched.ended.catch(exited);
    // Neither the process nor its pipes keep Hermes running while it waits.
    launched.child.unref();
    for (const stream of launched.child.stdio) (stream as { unref?(): void } | null)?.unref?.();
    return made;
  }

  return {
    use(wanted) {
      const ready = waiting;
      if (ready === undefined) return undefined;
      known = wrapper.prefix('/');
      if (ready.hasExited || ready.identity !== known.identity) {
        discard();
        return undefined;
      }
      waiting = undefined;
      exitTasks.remove(ready.launched.killSync);
      const { child } = ready.launched;
      child.ref();
      for (const stream of child.stdio) (stream as { ref?(): void } | null)?.ref?.();
      writeFileSync(ready.request, formatRequest(wanted, ready.env), { mode: 0o600 });
      const go = child.stdio[3] as Writable;
      // The shell may have exited just now; its exit code shows that.
      go.on('error', () => undefined);
      go.end('\n');
      return { launched: ready.launched, mark: ready.mark, done: () => rmSync(ready.request, { force: true }) };
    },
    refill(spawn) {
      if (waiting !== undefined || isClosed) return;
      waiting = start(spawn);
      exitTasks.add(waiting.launched.killSync);
    },
    close() {
      isClosed = true;
      discard();
    },
  };
}

/** Only differences are sent. The process tag stays that of the waiting shell. */
function formatRequest({ args, directory, env }: ShellStart, known: Record<string, string>): string {
  const unset = Object.keys(known).filter((name) => !(name in env) && NAME.test(name));
  const set = Object.entries(env).filter(([name, value]) => known[name] !== value && name !== PROCESS_TAG_VARIABLE);
  const assignments = set.map(([name, value]) => `${name}=${value}`);
  const fields = [directory, unset.length, assignments.length, ...unset, ...assignments, ...args];
  return fields.map((field) => `${field}\0`).join('');
}

/** Bash has no variables with other names. */
const NAME = /^[A-Za-z_]\w*$/;
