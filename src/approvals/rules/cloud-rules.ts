import { parseSubcommand } from '../shell/subcommands.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { type CommandRule, hasOption } from './rule.ts';

/** Limits how much text the regular expressions scan; the subcommand comes first. */
const MAX_TEXT = 10_000;
const CLOUD = [
  'istioctl linkerd cilium kubeadm talosctl velero rke bq influx databricks snow atlas pscale neonctl turso render koyeb',
  'terraform tofu terragrunt pulumi cdk kubectl oc helm aws gcloud az gh glab heroku fly flyctl eksctl',
  'kops doctl linode-cli vercel netlify firebase wrangler supabase railway vault gsutil s3cmd mc rclone',
  's5cmd serverless sls sam cf ibmcloud oci aliyun scw hcloud nomad minikube kind k3d vagrant virsh',
  'multipass lxc incus VBoxManage qm pct openstack rancher argocd flux nerdctl amplify eb copilot',
  'ecs-cli stripe kafka-topics kafka-topics.sh rabbitmqctl nova packer',
].flatMap((line) => line.split(' '));
const DESTROYS =
  /^(?:destroy|delete|uninstall|rm|rb|drain|purge|remove|undefine|terminate-\w.*|delete-\w.*|batch-delete-\w.*|(?:release|revoke|purge)-\w.*|\w+:(?:destroy|delete|remove|reset|unset)|deregister-\w.*|unregistervm|nuke|del|deletefile|rmdir|delete_vhost|force_reset|reset|delete-batch|rb|teardown|down)$/;

/** Clusters, cloud providers and hosted services. */
export const CLOUD_RULES: readonly CommandRule[] = [
  {
    rule: 'destroy infrastructure',
    commands: CLOUD,
    alwaysByPrefix: true,
    // These tools share a vocabulary, so the subcommand says more than the program.
    when: destroys,
  },
  {
    rule: 'change users or permissions',
    commands: CLOUD,
    when: ({ name, args }) =>
      RIGHTS.some(
        ({ programs, says }) =>
          programs.test(name) && says.test(parseSubcommand(name, args).words.slice(0, 8).join(' ').slice(0, 500)),
      ),
  },
];

/** Commands that grant permissions or open access from outside, by program. */
const RIGHTS: readonly { programs: RegExp; says: RegExp }[] = [
  {
    programs: /^aws$/,
    says: /^iam (?:attach|put|add|update|create-(?:user|role|policy)|set-default|remove|detach)\b|^(?:ec2 authorize-security|s3api put-public|lambda add-permission|kms put-key-policy|organizations (?:invite|attach)|sso-admin create|ecr set-repository-policy)/,
  },
  { programs: /^(?:kubectl|oc)$/, says: /^create (?:cluster)?rolebinding\b|^adm policy add/ },
  {
    programs: /^gcloud$/,
    says: /\b(?:add|set|remove)-iam-policy|^iam (?:roles|service-accounts) create\b|^compute firewall-rules (?:create|update)\b/,
  },
  {
    programs: /^az$/,
    says: /^role assignment create\b|^ad (?:user|group)\b.* (?:create|add)\b|^network nsg rule create\b/,
  },
  { programs: /^(?:gsutil)$/, says: /^(?:iam|acl) (?:ch|set)\b/ },
  { programs: /^(?:gh|glab)$/, says: /^(?:(?:repo collaborator|org member) add|auth refresh)\b/ },
];

/**
 * Destructive subcommands and options of particular programs. With `only`, the general list of verbs is not applied.
 */
const PROGRAM_RULES: readonly { programs: readonly string[]; says: RegExp; only?: true }[] = [
  {
    programs: ['terraform', 'tofu', 'terragrunt', 'pulumi'],
    only: true,
    // If the program's own confirmation is disabled, ours is the only one.
    says: /^(?:destroy|down|force-unlock|taint)\b|^run-all destroy|\s-+destroy\b|^(?:state|workspace|stack) (?:rm|delete|remove)|^(?:run-all )?(?:apply|up|update|refresh)\b.*\s-+(?:auto-approve|yes\b|y\b|skip-preview|terragrunt-non-interactive)/,
  },
  { programs: ['gcloud'], says: /^(?:beta )?(?:run|functions) deploy\b.*--allow-unauthenticated\b/ },
  { programs: ['sam'], says: /^deploy\b.*\s--no-confirm-changeset\b/ },
  { programs: ['cdk'], says: /^deploy\b.*--require-approval(?:[= ]?never|$|\s)|^deploy\b.*--force/ },
  { programs: ['rclone'], only: true, says: /^(?:delete|purge|sync|move|deletefile|rmdirs?|cleanup)\b/ },
  {
    programs: ['aws'],
    says: /\s--delete\b|^kms (?:schedule-key-deletion|disable-key)|^ec2 (?:stop|revoke)-|^s3api put-bucket-(?:policy|acl)|^route53 change-|^rds (?:stop|failover|reboot)-|^organizations (?:leave|close)-/,
  },
  {
    programs: ['kubectl', 'oc'],
    says: /--replicas=0\b|^patch\b.*"replicas":\s*0\b|^replace\b.*--force|^(?:drain|cordon|taint)\b|^config (?:delete|unset)|^(?:apply|replace)\b.*--prune/,
  },
  {
    programs: ['vault'],
    says: /^(?:secrets|auth|audit) (?:disable|move)\b|^(?:lease|token) revoke\b|^operator (?:seal|rekey)\b/,
  },
  { programs: ['nomad'], says: /^(?:job )?stop\b/ },
  { programs: ['heroku'], says: /^(?:maintenance:on|ps:stop|apps:rename)\b/ },
  { programs: ['az'], says: /^vm (?:deallocate|stop)\b/ },
  { programs: ['kafka-topics', 'kafka-topics.sh'], only: true, says: /\s--delete\b/ },
  {
    programs: ['virsh'],
    only: true,
    says: /^(?:destroy|undefine|vol-delete|pool-delete|snapshot-delete|shutdown)\b/,
  },
  {
    programs: ['gh', 'glab'],
    says: /^repo (?:archive|rename)\b|^repo edit\b.*--visibility|^workflow disable\b|^pr merge\b.*--admin|^(?:ssh-key|gpg-key) add\b|^(?:secret|variable) set\b/,
  },
  { programs: ['firebase'], says: /^\w+:(?:delete|disable)\b/ },
  {
    programs: ['vercel', 'netlify', 'wrangler', 'fly', 'flyctl', 'railway'],
    says: /^(?:env|secrets?|vars) (?:rm|unset|delete)\b/,
  },
];

function destroys(command: ShellCommand): boolean {
  const { name, args } = command;
  const { verbs, ambiguous } = parseSubcommand(name, args);
  const [verb = ''] = verbs;
  if (hasOption(command, 'dry-run', 'dryrun', 'help')) return false;
  if (!ambiguous && /^(?:plan|describe|get|list|show|view|help|search|explain|auth)$/.test(verb)) return false;
  const text = `${verbs.join(' ')} ${args.filter((arg) => /^[-{]/.test(arg)).join(' ')}`;
  const own = PROGRAM_RULES.find(({ programs }) => programs.includes(name));
  if (own?.says.test(text)) return true;
  if (own?.only) return false;
  if ((name === 'gh' || name === 'glab') && verb === 'api') return changesThroughApi(args);
  return verbs
    .slice(0, 4)
    .some(
      (word, index) => DESTROYS.test(word) && !(index > 0 && /^(?:down|reset|remove)$/.test(word) && name === 'gh'),
    );
}

/** `gh api` can do anything the service offers: this detects requests that change or delete, and destructive GraphQL mutations. */
function changesThroughApi(args: readonly string[]): boolean {
  const text = args.join(' ').slice(0, MAX_TEXT);
  return (
    /(?:^|\s)(?:-X|--method)[= ]?(?:DELETE|PUT|PATCH)\b/i.test(text) ||
    /\bmutation\b[\s\S]*\b(?:delete|remove|archive)[A-Z]/.test(text)
  );
}
