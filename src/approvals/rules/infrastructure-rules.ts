import type { ShellCommand, Source } from '../shell/shell-command.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import { type CommandRule, hasOption, operandsOf } from './rule.ts';

const CONTAINERS = ['docker', 'podman', 'docker-compose', 'nerdctl', 'podman-compose', 'buildah', 'ctr', 'crictl'];
/** Containers and published packages, which often affect other people as well. */
export const INFRASTRUCTURE_RULES: readonly CommandRule[] = [
  {
    rule: 'remove containers or their data',
    commands: CONTAINERS,
    reviewable: true,
    alwaysByPrefix: true,
    when: removesContainers,
  },
  {
    rule: 'give a container access to the host',
    commands: CONTAINERS,
    when: ({ args }) => startsContainer(args) && accessesHost(args),
  },
  {
    rule: 'publish a package',
    alwaysByPrefix: true,
    commands: [
      'npm',
      'pnpm',
      'yarn',
      'cargo',
      'twine',
      'gem',
      'poetry',
      'uv',
      'flit',
      'hatch',
      'lerna',
      'changeset',
      'vsce',
      'ovsx',
      'jsr',
      'deno',
      'mix',
      'luarocks',
      'conan',
      'pod',
      'dotnet',
      'nuget',
      'mvn',
      'gradle',
      'gradlew',
      'sbt',
      'goreleaser',
      'semantic-release',
      'bun',
      'dart',
      'flutter',
      'python',
      'python3',
    ],
    when: publishes,
  },
];

function startsContainer(args: readonly string[]): boolean {
  return args.some((arg) => arg === 'run' || arg === 'create');
}

/** Mounts of system folders of the host, or elevated privileges. */
function accessesHost(args: readonly string[]): boolean {
  return args.some(
    (arg) =>
      /^(?:-v|--volume=)?\/(?:etc|root|home|boot|usr|var\/run\/docker\.sock)?:\/?/.test(arg) ||
      /(?:source|src)=\/(?:etc|root|home)?(?:,|$)/.test(arg) ||
      /^--(?:privileged|pid=host|cap-add=(?:ALL|SYS_ADMIN))/.test(arg),
  );
}

/** Whether a command lists all containers, because it has no filter. */
function listsAll({ name, args }: Source): boolean {
  return CONTAINERS.includes(name) && !args.some((arg) => /^(?:-f|--filter)/.test(arg));
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
