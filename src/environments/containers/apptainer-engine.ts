import { basename, join } from 'node:path';
import { type ContainerEngine, type ContainerRules, explainEngine } from './container-engine.ts';

/** Messages of the engine itself, whose lines begin with a level. */
const FAULT = /^(?:\S*FATAL:?|\S*ERROR:)\s/m;

/** Apptainer, or singularity, which has the same command line. It calls a running container an instance. */
export function createApptainerEngine(program: string, rules: ContainerRules): ContainerEngine {
  const engine = basename(program);
  return {
    backend: 'singularity',
    program,
    directory: '~',
    askState: (name) => ['instance', 'list', '--json', name],
    readState: ({ code, output }) => (code === 0 ? readInstances(output.toString()) : undefined),
    create: (name) => [
      'instance',
      'start',
      ...isolation(rules),
      ...limits(rules),
      ...rules.volumes.flatMap((volume) => ['--bind', volume]),
      ...rules.extraArguments,
      rules.image,
      name,
    ],
    // A terminal needs no extra arguments, because the local one is used.
    execute: (name) => ['--silent', 'exec', '--cleanenv', '--no-privs', '--pwd', '/', `instance://${name}`],
    stop: (name) => ['instance', 'stop', '--timeout', '1', name],
    hasFailed: (code, errors) => code === 255 && FAULT.test(errors),
    explain: (errors, name) => explainEngine({ engine, backend: 'singularity', image: rules.image, name }, errors),
  };
}

/**
 * The home and temporary directories are in a folder of ours; otherwise they would be in memory and limited to a few
 * megabytes.
 */
function isolation({ network, folder }: ContainerRules): string[] {
  return [
    '--containall',
    '--cleanenv',
    '--no-privs',
    '--writable-tmpfs',
    '--workdir',
    join(folder, 'work'),
    ...(network ? [] : ['--net', '--network', 'none']),
  ];
}

/** No defaults, because without cgroup delegation a limit prevents the container from starting. */
function limits({ cpu, memory }: ContainerRules): string[] {
  return [
    ...(cpu === undefined ? [] : ['--cpus', String(cpu)]),
    ...(memory === undefined ? [] : ['--memory', `${memory}m`]),
  ];
}

function readInstances(text: string): 'running' | 'missing' | undefined {
  try {
    const { instances } = JSON.parse(text) as { instances?: unknown };
    return Array.isArray(instances) && instances.length > 0 ? 'running' : 'missing';
  } catch {
    return undefined;
  }
}

/** Passes variables through the environment of the engine, so that no value appears in a process list. */
export function passedThroughEngine(
  env: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  const pairs = names.flatMap((name) => {
    const value = env[name];
    if (value === undefined) return [];
    return ['APPTAINERENV_', 'SINGULARITYENV_'].map((prefix) => [`${prefix}${name}`, value]);
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}
