import { withFileLock } from '../../util/index.ts';
import type { ContainerEngine } from './container-engine.ts';
import { type LeadingProgram, throughProgram } from '../remote/program-channel.ts';
import type { RemoteConnection } from '../remote/remote-connection.ts';
import { READING_SCRIPT, waitingForInput } from '../remote/remote-scripts.ts';
import { type ProgramResult, runProgram } from '../run-program.ts';

/** Making one may fetch an image of a gigabyte first. */
const CREATE_MS = 900_000;
/** How long an engine may take to tell about, stop or start a container. */
const ANSWER_MS = 60_000;

export type ContainerConnectionOptions = {
  engine: ContainerEngine;
  name: string;
  env: Record<string, string>;
  /** A file that says who is just making the container. */
  lockFile: string;
  /** What is to be done when nobody here needs the container any more. */
  onClose(): Promise<void>;
};

/** The way into a container, which is made or started with the first use. */
export function createContainerConnection(options: ContainerConnectionOptions): RemoteConnection {
  const { engine, name, env } = options;
  const { program } = engine;
  const call = (args: readonly string[], timeoutMs = ANSWER_MS) => runProgram(program, args, { env, timeoutMs });
  let opening: Promise<void> | undefined;
  let wasUp = false;

  const isDocker = engine.backend === 'docker';
  // Podman hands on input as soon as it reads output. Whoever prints much before that makes it hang for good.
  const firstInput = isDocker ? '\n' : undefined;
  const args: LeadingProgram['args'] = (script, parameters, { shell = '/bin/sh', terminal = false } = {}) => {
    const text = firstInput === undefined || terminal ? script : waitingForInput(script);
    return [...engine.execute(name, terminal), shell, '-c', text, shell, ...parameters];
  };
  const connection: RemoteConnection = {
    // Docker looks at the size of its terminal before it listens for changes: one in between would be lost for good.
    ...throughProgram({ program, env, args, endsWithTerminal: false, missesSizes: isDocker, firstInput }),
    lingers: isDocker,
    async open() {
      opening ??= bringUp({ engine, name, call, lockFile: options.lockFile, again: wasUp });
      // The next one tries again.
      await opening.catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
      wasUp = true;
    },
    async run(script, parameters, input) {
      for (let attempt = 1; ; attempt++) {
        await connection.open();
        const words = input === undefined ? args(script, parameters) : args(READING_SCRIPT, [script, ...parameters]);
        const result = await runProgram(program, words, { env, input: joinInputs(firstInput, input) });
        if (!engine.hasFailed(result.code, result.errors)) return result;
        if (attempt === 2) throw engine.explain(result.errors, name);
        // It was stopped by somebody. These scripts can all be run twice.
        connection.forget?.();
      }
    },
    hasFailed: engine.hasFailed,
    forget: () => (opening = undefined),
    explain: (errors) => engine.explain(errors, name),
    close: options.onClose,
  };
  return connection;
}

function joinInputs(first: string | undefined, input: Uint8Array | undefined): Uint8Array | undefined {
  if (first === undefined) return input;
  return Buffer.concat([Buffer.from(first), input ?? Buffer.alloc(0)]);
}

type Call = (args: readonly string[], timeoutMs?: number) => Promise<ProgramResult>;

type Container = { engine: ContainerEngine; name: string; call: Call };

/** Takes the container that is there, starts it, or makes it. */
async function bringUp(container: Container & { lockFile: string; again: boolean }): Promise<void> {
  // Of two that make one of the same name at once, apptainer leaves neither, and a process that no command of it finds.
  await withFileLock(container.lockFile, () => takeOrMake(container), { timeoutMs: CREATE_MS });
}

async function takeOrMake(container: Container & { again: boolean }): Promise<void> {
  const { engine, name, call, again } = container;
  if ((await takeUp(container)) === 'running') return;
  // A new one in the place of one that held something would go on as if nothing had been lost.
  if (again && engine.start !== undefined) throw engine.explain(`no such container: ${name}`, name);
  const made = await call(engine.create(name), CREATE_MS);
  if (made.code === 0) return;
  // Another program may have made it in the same moment, if it waited for this one for too long.
  const isThere = /already in use|already exists/i.test(made.errors);
  if (isThere && (await takeUp(container)) === 'running') return;
  // One that was made but cannot be started would be taken for a good one the next time.
  if (!isThere && engine.remove !== undefined) await call(engine.remove(name)).catch(() => undefined);
  throw engine.explain(made.errors, name);
}

async function takeUp({ engine, name, call }: Container): Promise<'running' | 'missing'> {
  const answer = await call(engine.askState(name));
  const state = engine.readState(answer);
  if (state === undefined) throw engine.explain(answer.errors, name);
  if (state !== 'stopped' || engine.start === undefined) return state === 'running' ? 'running' : 'missing';
  const started = await call(engine.start(name));
  if (started.code !== 0) throw engine.explain(started.errors, name);
  return 'running';
}
