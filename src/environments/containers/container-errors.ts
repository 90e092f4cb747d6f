import { HermesError } from '../../base/index.ts';
import type { Cause } from './container-engine.ts';

type Subject = { engine: string; backend: string; image: string; name: string };

const imageKey = ({ backend }: Subject) => `terminal.${backend}_image`;

function causes(subject: Subject): readonly Cause[] {
  const { engine, image, name } = subject;
  const fetched = `${engine} pull ${image}`;
  return [
    [
      /permission denied.*(?:socket|sock)|dial unix.*permission denied/i,
      'you may not use it',
      'Join the group that may (for docker: "usermod -aG docker YOU", then log in again), or install podman, which needs no rights, and set terminal.container_engine to podman.',
    ],
    [
      /cannot connect to|is the docker daemon running|error during connect|daemon is not running/i,
      'it is not running',
      engine === 'podman'
        ? 'A service of podman is asked for, by CONTAINER_HOST or by "podman system connection". Start it, or unset that.'
        : `Start it, for example with "systemctl start ${engine}", or set terminal.container_engine to podman, which needs no service.`,
    ],
    [
      /dial tcp|connection refused|no such host|i\/o timeout|TLS handshake|network is unreachable|context deadline/i,
      `the image ${image} is not here and its registry cannot be reached`,
      `Fetch it where there is a network ("${fetched}"), or set ${imageKey(subject)} to an image that is here.`,
    ],
    [
      /no such image|unable to find image|manifest|pull access denied|not found in registry|image not known|short-name|could not open image|unauthorized/i,
      `there is no image ${image}`,
      `Check ${imageKey(subject)}, and try "${fetched}".`,
    ],
    [
      /storage-opt|storage option/i,
      'its storage cannot limit the disk of a container',
      'Remove terminal.container_disk.',
    ],
    [
      /cgroup/i,
      'it cannot limit what a container takes',
      'Remove terminal.container_cpu and terminal.container_memory, or allow control groups for your user.',
    ],
    [/range of cpus/i, 'this machine has fewer processors', 'Lower terminal.container_cpu.'],
    [
      /exec: "[^"]*": /i,
      `the image ${image} has no shell`,
      `Set ${imageKey(subject)} to an image with a POSIX shell and the usual small programs.`,
    ],
    [
      /mount|volume|bind source|no such file or directory/i,
      'a folder cannot be shown to it',
      'Check terminal.docker_volumes: folder:folder inside, with ":ro" at the end for one that is only read.',
    ],
    [
      /no such container|no container with name|is not running|no instance found|state improper/i,
      `the container ${name} is gone`,
      'Somebody has ended it. What it held may be lost; start again, and a new one is made.',
    ],
    [
      /namespace|setuid|operation not permitted/i,
      'the system does not let it make containers',
      'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0.',
    ],
  ];
}

/** Lines that tell no fault. */
const BESIDE = /^See '|^Run '|--help|^\S*(?:INFO|WARNING) *:|^time=\S+ level=(?:info|warning) /;

/** What an engine said, in words that lead on. Of all its lines the one is shown that told what the matter is. */
export function explainEngine(subject: Subject, errors: string): HermesError {
  const lines = errors
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '' && !BESIDE.test(line));
  const isSaid = ([pattern]: Cause) => lines.some((line) => pattern.test(line));
  const [pattern, what, hint] = causes(subject).find(isSaid) ?? unknown(subject, lines.length);
  const text = lines.findLast((line) => pattern.test(line)) ?? lines.at(-1);
  const said = text === undefined ? '' : ` (${text.trim()})`;
  return new HermesError(`No container of ${subject.engine}: ${what}${said}.`, { hint });
}

/** One that says nothing was given up when its time was over. */
function unknown({ engine }: Subject, lineCount: number): Cause {
  return [/^/, lineCount === 0 ? 'it gave no answer' : 'it failed', `Try "${engine} version" by hand.`];
}
