import { basename } from 'node:path';
import { type ContainerEngine, type ContainerRules, explainEngine } from './container-engine.ts';

const DEFAULT_CPU = 1;
const DEFAULT_MEMORY_MB = 5120;
/** Browsers and some databases want more shared memory than the 64 MB of an engine's default. */
const SHARED_MEMORY = '1g';
const MAX_PROCESSES = 512;

/** What installing packages takes; none of it reaches out of a container. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];

/** Waits for ever and, as the first process, takes in what others leave behind. */
const IDLE_SCRIPT = 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done';

/** By default Control-P is held back by the engine, because with Control-Q after it one leaves a terminal. Nobody types this. */
const LEAVING_KEYS = 'ctrl-^,ctrl-_,ctrl-^,ctrl-_,ctrl-^';
const TERMINAL = ['--tty', '--detach-keys', LEAVING_KEYS, '--env', 'TERM=xterm-256color'];

/** Talk of the engine about itself; what runs inside has its own stream. */
const FAULT =
  /error response from daemon|cannot connect to the docker daemon|docker daemon socket|cannot connect to podman|no such container|no container with name|is not running|container state improper/i;

/** Docker, or podman, which takes the same command lines. */
export function createDockerEngine(program: string, rules: ContainerRules): ContainerEngine {
  const engine = basename(program);
  return {
    backend: 'docker',
    program,
    directory: '/workspace',
    askState: (name) => ['container', 'inspect', '--format', '{{.State.Running}}', name],
    readState({ code, output, errors }) {
      if (code === 0) return output.toString().trim() === 'true' ? 'running' : 'stopped';
      return /no such (?:container|object)|no container with name/i.test(errors) ? 'missing' : undefined;
    },
    create: (name) => [
      'run',
      '--detach',
      '--name',
      name,
      '--label',
      'hermes-agent=1',
      '--workdir',
      '/',
      ...isolation(rules),
      ...limits(rules),
      ...rules.volumes.flatMap((volume) => ['--volume', volume]),
      ...rules.extraArguments,
      '--entrypoint',
      '/bin/sh',
      rules.image,
      '-c',
      IDLE_SCRIPT,
    ],
    start: (name) => ['start', name],
    execute: (name, terminal) => [
      'exec',
      '--interactive',
      ...(terminal ? TERMINAL : []),
      // Without a value the engine takes that of its own variable, so that none is seen in a list of processes.
      ...rules.variables.flatMap((variable) => ['--env', variable]),
      name,
    ],
    stop: (name) => ['stop', '-t', '1', name],
    remove: (name) => ['rm', '--force', name],
    hasFailed: (code, errors) => code !== 0 && FAULT.test(errors),
    explain: (errors, name) => explainEngine({ engine, backend: 'docker', image: rules.image, name }, errors),
  };
}

function isolation({ network }: ContainerRules): string[] {
  return [
    '--cap-drop',
    'ALL',
    ...CAPABILITIES.flatMap((capability) => ['--cap-add', capability]),
    '--security-opt',
    'no-new-privileges',
    '--pids-limit',
    String(MAX_PROCESSES),
    ...(network ? [] : ['--network', 'none']),
  ];
}

function limits({ cpu = DEFAULT_CPU, memory = DEFAULT_MEMORY_MB, disk }: ContainerRules): string[] {
  return [
    '--cpus',
    String(cpu),
    '--memory',
    `${memory}m`,
    '--shm-size',
    SHARED_MEMORY,
    // Only some storages of an engine can limit it, and the others refuse to start, so it has no default.
    ...(disk === undefined ? [] : ['--storage-opt', `size=${disk}m`]),
  ];
}
