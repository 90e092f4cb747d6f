import { basename } from 'node:path';
import { type ContainerEngine, type ContainerRules, explainEngine } from './container-engine.ts';

const DEFAULT_CPU = 1;
const DEFAULT_MEMORY_MB = 5120;
/** Browsers and some databases need more shared memory than the default of 64 MB. */
const SHARED_MEMORY = '1g';
const MAX_PROCESSES = 512;

/** Capabilities for installing packages; none of them gives access outside the container. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];

/** Waits forever and, as process 1, reaps orphaned processes. */
const IDLE_SCRIPT = 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done';

/**
 * A detach sequence that nobody types. With the default sequence, Control-P Control-Q, the engine would hold back
 * every Control-P.
 */
const DETACH_KEYS = 'ctrl-^,ctrl-_,ctrl-^,ctrl-_,ctrl-^';
const TERMINAL = ['--tty', '--detach-keys', DETACH_KEYS, '--env', 'TERM=xterm-256color'];

/** Messages of the engine itself; the command inside has its own stream. */
const FAULT =
  /error response from daemon|cannot connect to the docker daemon|docker daemon socket|cannot connect to podman|no such container|no container with name|is not running|container state improper/i;

/** Docker, or podman, which has the same command line. */
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
      // Without a value the engine uses its own variable, so that no value appears in a process list.
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
    // No default, because some storage drivers cannot limit the disk and refuse to start.
    ...(disk === undefined ? [] : ['--storage-opt', `size=${disk}m`]),
  ];
}
