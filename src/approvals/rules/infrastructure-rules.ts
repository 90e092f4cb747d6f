import type { ShellCommand, Source } from '../shell/shell-command.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import { type CommandRule, hasOption, operandsOf } from './rule.ts';

const CONTAINERS = 'docker podman docker-compose nerdctl podman-compose buildah ctr crictl'.split(' ');
const HOST_ACCESS = 'give a container access to the host';

/** Ways from a container to its host, and into the namespaces of other processes. */
const ESCAPES: readonly ProgramRow[] = [
  ['nsenter', /\S/],
  [
    'chroot arch-chroot schroot fakechroot pivot_root switch_root',
    /(?:^|\s)\/(?:host\w*|mnt\w*|media|rootfs|sysroot|target|proc\/\d+\/root|hostfs|node)(?:\/\S*)?(?:\s|$)|(?:^|\s)\/(?:\s|$)/,
  ],
  ['systemd-nspawn', /--bind(?:-ro)?[= ]\/(?:\s|:|$|etc|root|home|boot|var)|(?:-D|--directory)[= ]?\/(?:\s|$)/],
  ['unshare', /--(?:root|mount-proc)[= ]\/(?:host|mnt|proc)/],
  [
    'kubectl oc',
    /^(?:-\S+ (?:\S+ )?)*(?:debug node\/|node-shell\b|run\b.*(?:hostPID|hostNetwork|hostPath|privileged)|run\b.*--privileged)|^adm policy add-scc/,
  ],
  [
    'lxc incus',
    /security\.(?:privileged|nesting)[= ]true|device add \S+ \S+ disk .*source=\/(?:\s|$|etc|root|home)|raw\.(?:lxc|idmap)/,
  ],
  ['ctr', /\brun\b.*--(?:privileged|mount\b.*src=\/,)/],
  ['runc crun youki', /^(?:exec\b.*--cap|update\b)/],
  ['docker podman nerdctl', /^(?:exec|container exec)\b.*--privileged\b/],
  ['act', /--(?:container-options\b.*--privileged|privileged|container-daemon-socket)\b/],
];

/** Containers and published packages, which often affect other people as well. */
export const INFRASTRUCTURE_RULES: readonly CommandRule[] = [
  {
    rule: 'remove containers or their data',
    commands: CONTAINERS,
    reviewable: true,
    alwaysByPrefix: true,
    when: removesContainers,
  },
  tableRule(HOST_ACCESS, ESCAPES),
  { rule: HOST_ACCESS, commands: 'curl wget http https xh socat nc ncat netcat'.split(' '), when: commandsEngine },
  {
    rule: HOST_ACCESS,
    commands: CONTAINERS,
    when: ({ args }) => startsContainer(args) && accessesHost(args),
  },
  {
    rule: 'publish a package',
    alwaysByPrefix: true,
    commands:
      'npm pnpm yarn cargo twine gem poetry uv flit hatch lerna changeset vsce ovsx jsr deno mix luarocks conan pod dotnet nuget mvn gradle gradlew sbt goreleaser semantic-release bun dart flutter python python3'.split(
        ' ',
      ),
    when: publishes,
  },
];

const ENGINE_SOCKET = /\/(?:docker|podman|containerd|crio|cri-dockerd)\.sock\b/;
const ENGINE_PORT = /:237[56](?:\/|$)/;

/** Requests to the container engine, which can start a container with access to the host. Reading runs. */
function commandsEngine({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || !args.some((arg) => ENGINE_SOCKET.test(arg) || ENGINE_PORT.test(arg))) return false;
  if (!/^(?:curl|wget|https?|xh)$/.test(name)) return args.some((arg) => ENGINE_SOCKET.test(arg));
  return args.some((arg) =>
    /^(?:-X|--request=|--method=)?(?:POST|PUT|DELETE|PATCH)$|^(?:-d|--data|--json|-T|-F|--post)/.test(arg),
  );
}

function startsContainer(args: readonly string[]): boolean {
  return args.some((arg) => arg === 'run' || arg === 'create');
}

/** Mounts of system folders of the host, or elevated privileges. */
function accessesHost(args: readonly string[]): boolean {
  return (
    args.some(
      (arg) =>
        /^(?:-v|--volume=)?\/(?:etc|root|home|boot|usr|var\/run\/docker\.sock)?:\/?/.test(arg) ||
        /(?:source|src)=\/(?:etc|root|home)?(?:,|$)/.test(arg) ||
        /^--(?:privileged(?!=false)|(?:pid|userns|ipc|uts|cgroupns)=host|cap-add=(?:CAP_)?(?:ALL|SYS_\w+|NET_ADMIN|DAC_\w+|BPF)|security-opt=(?:\w+[=:](?:unconfined|disable)))/i.test(
          arg,
        ) ||
        /^(?:--device=)?\/dev\/(?:[shv]d[a-z]|nvme|mem|kmsg|dm-)/.test(arg) ||
        /^(?:-v|--volume=)?\/(?:(?:proc|sys|dev|run|var\/run)(?=:)|var\/lib\/(?:docker|kubelet)|run\/(?:docker|containerd|podman)\S*|var\/run\/\S*\.sock)(?:\/\S*)?:/.test(
          arg,
        ),
    ) || hostOption(args)
  );
}

/** The same options with their value in the next word. */
function hostOption(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    const value = args[index + 1] ?? '';
    if (/^--(?:pid|userns|ipc|uts)$/.test(arg)) return value === 'host';
    if (arg === '--cap-add') return /^(?:CAP_)?(?:ALL|SYS_\w+|NET_ADMIN|DAC_\w+|BPF)$/i.test(value);
    return arg === '--security-opt' && /[=:](?:unconfined|disable)$/.test(value);
  });
}

/** Whether a command lists all containers, because it has no filter. */
function listsAll({ name, args }: Source): boolean {
  // `docker compose ps` lists those of the project.
  return CONTAINERS.includes(name) && !args.some((arg) => /^(?:-f|--filter|compose$)/.test(arg));
}

/** Compose can recreate containers, but not the data of deleted volumes. */
function deletesVolumes({ args }: ShellCommand): boolean {
  return args.some((arg) => /^(?:-[a-z]*v|--volumes|--rmi)/.test(arg));
}

function removesContainers(command: ShellCommand): boolean {
  const verbs = parseSubcommand(command.name, command.args).words.slice(0, 5);
  const [first = '', second = ''] = verbs;
  if (
    ['run', 'exec', 'build', 'create', 'logs', 'inspect', 'buildx'].includes(first) &&
    second !== 'prune' &&
    second !== 'rm'
  )
    return false;
  if (first === 'compose' || command.name.includes('compose')) {
    const said = first === 'compose' ? verbs.slice(1) : verbs;
    const verb = said.find((word) => !/\.ya?ml$|\/|\.env$/.test(word)) ?? '';
    if (verb === 'down') return deletesVolumes(command);
    return verb === 'rm' || verb === 'kill';
  }
  if (['stop', 'kill', 'pause'].includes(first))
    return first === 'kill' || hasOption(command, 'a', 'all') || command.fedBy.some(listsAll);
  return verbs
    .slice(0, 2)
    .some((word) => ['prune', 'rm', 'rmi', 'remove', 'delete', 'reset', 'leave', 'down'].includes(word));
}

/** A published package usually cannot be withdrawn. */
function publishes(command: ShellCommand): boolean {
  const { name, args } = command;
  const words = operandsOf(command);
  const [first = '', second = ''] = words;
  if (args.some((arg) => /^--dry-run|^--help$|^--snapshot$/.test(arg))) return false;
  if (name.startsWith('python') && /(?:^|\s)setup\.py\s.*\bupload\b/.test(args.join(' '))) return true;
  if (name.startsWith('python')) return /^-m (?:twine|flit|poetry|uv|hatch) (?:upload|publish)/.test(args.join(' '));
  if (name === 'semantic-release') return true;
  if (/^(?:run|run-script|test|exec|add|install|i|info|view|search|x|dlx)$/.test(first)) return false;
  if (name === 'mvn') return words.some((word) => /^(?:deploy|release:perform|deploy:deploy-file)$/.test(word));
  if (name.startsWith('gradle'))
    return words.some(
      (word) => /(?:^|:)publish(?!ToMavenLocal)\w*$/.test(word) || /^(?:uploadArchives|bintrayUpload)$/.test(word),
    );
  if (name === 'sbt') return words.some((word) => /^publish(?:Signed)?$/.test(word));
  if (name === 'mix') return first === 'hex.publish';
  if (name === 'goreleaser') return first === 'release';
  if (name === 'pod') return first === 'trunk' && second === 'push';
  if (name === 'dotnet') return first === 'nuget' && /^(?:push|delete)$/.test(second);
  if (/^(?:dist-tags?|owner|access|team)$/.test(first) && /^(?:ls|list|get)\b|^$/.test(second)) return false;
  const verb = first === 'npm' || first === 'pub' || first === 'workspaces' ? second : first;
  return (
    /^(?:publish|unpublish|upload|push|yank|deprecate|owner|access|team|dist-tags?|lib-publish)$/.test(verb) &&
    !(name === 'npm' && verb === 'push')
  );
}
