import type { ShellCommand } from '../shell/shell-command.ts';
import { type CommandRule, hasOption, operandsOf, optionsOf, verbsOf } from './rule.ts';

const CONTAINERS = ['docker', 'podman', 'docker-compose', 'nerdctl', 'podman-compose', 'buildah', 'ctr', 'crictl'];
const CLOUD = [
  ...[
    'terraform',
    'tofu',
    'terragrunt',
    'pulumi',
    'cdk',
    'kubectl',
    'oc',
    'helm',
    'aws',
    'gcloud',
    'az',
    'gh',
    'glab',
    'heroku',
    'fly',
  ],
  ...[
    'flyctl',
    'eksctl',
    'kops',
    'doctl',
    'linode-cli',
    'vercel',
    'netlify',
    'firebase',
    'wrangler',
    'supabase',
    'railway',
    'vault',
  ],
  ...[
    'gsutil',
    's3cmd',
    'mc',
    'rclone',
    's5cmd',
    'serverless',
    'sls',
    'sam',
    'cf',
    'ibmcloud',
    'oci',
    'aliyun',
    'scw',
    'hcloud',
    'nomad',
  ],
  ...[
    'minikube',
    'kind',
    'k3d',
    'vagrant',
    'virsh',
    'multipass',
    'lxc',
    'incus',
    'VBoxManage',
    'qm',
    'pct',
    'openstack',
    'rancher',
    'argocd',
  ],
  ...[
    'flux',
    'nerdctl',
    'amplify',
    'eb',
    'copilot',
    'ecs-cli',
    'stripe',
    'kafka-topics',
    'kafka-topics.sh',
    'rabbitmqctl',
    'nova',
    'packer',
  ],
];
const DESTROYS =
  /^(?:destroy|delete|uninstall|rm|rb|drain|purge|remove|undefine|terminate-\w.*|delete-\w.*|\w+:(?:destroy|delete|remove|reset)|deregister-\w.*|unregistervm|nuke|del|deletefile|rmdir|delete_vhost|force_reset|reset|delete-batch|rb|teardown|down)$/;

/** Containers, clusters, clouds and what is published: much of it belongs to others too. */
export const INFRASTRUCTURE_RULES: readonly CommandRule[] = [
  {
    rule: 'remove containers or their data',
    commands: CONTAINERS,
    reviewable: true,
    alwaysByPrefix: true,
    when: removesContainers,
  },
  {
    rule: 'let a container at the whole machine',
    commands: CONTAINERS,
    when: ({ args }) => startsContainer(args) && reachesMachine(args),
  },
  {
    rule: 'destroy infrastructure',
    commands: CLOUD,
    alwaysByPrefix: true,
    // Many tools, one vocabulary: the verb tells more than the program.
    when: (command) => destroys(command),
  },
  {
    rule: 'publish a package',
    alwaysByPrefix: true,
    commands: [
      ...[
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
      ],
      ...[
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
    ],
    when: publishes,
  },
];

function startsContainer(args: readonly string[]): boolean {
  return args.some((arg) => arg === 'run' || arg === 'create');
}

/** The whole disk of the host, or all its rights. */
function reachesMachine(args: readonly string[]): boolean {
  return args.some(
    (arg) =>
      /^(?:-v|--volume=)?\/(?:etc|root|home|boot|usr|var\/run\/docker\.sock)?:\/?/.test(arg) ||
      /(?:source|src)=\/(?:etc|root|home)?(?:,|$)/.test(arg) ||
      /^--(?:privileged|pid=host|cap-add=(?:ALL|SYS_ADMIN))/.test(arg),
  );
}

function removesContainers(command: ShellCommand): boolean {
  const verbs = operandsOf(command).slice(0, 5);
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
    return ['down', 'rm', 'kill'].includes(verb);
  }
  if (['stop', 'kill', 'pause'].includes(first))
    return (
      first === 'kill' || hasOption(command, 'a', 'all') || command.fedBy.some(({ name }) => CONTAINERS.includes(name))
    );
  return verbs
    .slice(0, 2)
    .some((word) => ['prune', 'rm', 'rmi', 'remove', 'delete', 'reset', 'leave', 'down'].includes(word));
}

function destroys(command: ShellCommand): boolean {
  const { name, args } = command;
  const verbs = verbsOf(args);
  const harmless =
    hasOption(command, 'dry-run', 'dryrun', 'help') ||
    /^(?:plan|describe|get|list|show|view|help|search|explain)$/.test(verbs[0] ?? '');
  if (harmless && !/^(?:get)$/.test(name)) return false;
  if (['terraform', 'tofu', 'terragrunt', 'pulumi'].includes(name))
    return (
      /^(?:destroy|down|force-unlock)$/.test(verbs[0] ?? '') ||
      optionsOf(command).has('destroy') ||
      args.includes('-destroy') ||
      /^(?:state|workspace|stack) (?:rm|delete|remove)/.test(verbs.join(' '))
    );
  if (name === 'rclone') return /^(?:delete|purge|sync|move|deletefile|rmdirs?|cleanup)$/.test(verbs[0] ?? '');
  if (name === 'aws' && args.includes('--delete')) return true;
  if (name === 'kubectl' && /--replicas=0\b/.test(args.join(' '))) return true;
  if (name === 'kubectl' && verbs[0] === 'replace' && args.includes('--force')) return true;
  if ((name === 'gh' || name === 'glab') && verbs[0] === 'api')
    return /(?:^|\s)(?:-X|--method)[= ]?DELETE\b/i.test(args.join(' '));
  if (name.startsWith('kafka')) return args.includes('--delete');
  if (name === 'virsh')
    return /^(?:destroy|undefine|vol-delete|pool-delete|snapshot-delete|shutdown)$/.test(verbs[0] ?? '');
  return verbs
    .slice(0, 4)
    .some(
      (word, index) => DESTROYS.test(word) && !(index > 0 && /^(?:down|reset|remove)$/.test(word) && name === 'gh'),
    );
}

/** What is published cannot be taken back. */
function publishes(command: ShellCommand): boolean {
  const { name, args } = command;
  const words = operandsOf(command);
  const [first = '', second = ''] = words;
  if (args.some((arg) => /^--dry-run|^--help$|^--snapshot$/.test(arg))) return false;
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
  const verb = first === 'npm' || first === 'pub' || first === 'workspaces' ? second : first;
  return (
    /^(?:publish|unpublish|upload|push|yank|deprecate|owner|access|lib-publish)$/.test(verb) &&
    !(name === 'npm' && verb === 'push')
  );
}
