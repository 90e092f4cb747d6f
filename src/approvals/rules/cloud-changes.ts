import { hostOf, isPrivateHost } from '../files/hosts.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import type { CloudProgram, CloudVerbs } from './cloud-verbs.ts';
import { operandsWithout } from '../files/path-argument.ts';
import { optionValues, type ShellCommand } from '../shell/shell-command.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import { type CommandRule, hasOption } from './rule.ts';

const CHANGE = 'change cloud resources';
/** How many words of a subcommand are searched for its verb. */
const MAX_WORDS = 6;

/** The programs of the table in cloud-verbs.ts, which is large and therefore loaded when one of them occurs. */
const CLOUD_NAMES: ReadonlySet<string> = new Set(
  'aws aliyun gcloud az doctl linode-cli hcloud scw oci ibmcloud openstack cf heroku fly flyctl vercel netlify ntl firebase railway render koyeb wrangler supabase stripe pulumi terraform tofu terragrunt cdk cdktf sam serverless sls eb copilot amplify ecs-cli kubectl oc helm helmfile eksctl kops argocd flux istioctl linkerd cilium velero nomad consul vault minikube kind k3d vagrant multipass lxc incus databricks bq snow turso neonctl pscale atlas gsutil eas gh glab'.split(
    ' ',
  ),
);

/** Whether the table of cloud-verbs.ts decides what a program may do. */
export const isCloudProgram = (name: string) => CLOUD_NAMES.has(name);

/** Whether a program for a cloud, a cluster or a hosted service does more than its table allows. */
function changesCloud(command: ShellCommand, { cloud }: MachineFacts): boolean {
  const { name, args } = command;
  if (cloud === undefined) return false;
  cloud.isNeeded = true;
  const { verbs } = cloud;
  const row = verbs?.CLOUD_PROGRAMS[name];
  if (verbs === undefined || row === undefined || onlyInforms(command)) return false;
  const program = row instanceof RegExp ? { allows: row } : row;
  const words = wordsOf(program, parseSubcommand(name, args).words);
  if (program.asks?.test(args.join(' ').slice(0, 2000)) === true) return true;
  if (program.allows.test(words.join(' ').slice(0, 500))) return false;
  return words.length > 0 && !reads(program, words, verbs);
}

function onlyInforms(command: ShellCommand): boolean {
  return (
    hasOption(command, 'help', 'version', 'dry-run', 'dryrun') ||
    command.args.some((arg) => /^(?:-h|help|-version|-v|-V)$/.test(arg))
  );
}

function wordsOf({ form }: CloudProgram, words: readonly string[]): string[] {
  const given = words.slice(0, MAX_WORDS);
  return form === 'colon' ? [...(given[0] ?? '').split(':'), ...given.slice(1)] : given;
}

function reads(
  { form }: CloudProgram,
  words: readonly string[],
  { CHANGING_VERBS, READING_OPERATIONS, READING_VERBS }: CloudVerbs,
): boolean {
  if (form === 'operation') return words.length < 2 || READING_OPERATIONS.test(operationOf(words[1] ?? ''));
  // `heroku ps`, `heroku addons`: a topic without a verb lists.
  if (form === 'colon' && words.length === 1) return !CHANGING_VERBS.has(words[0] ?? '');
  // In `ps:scale`, the first part is a topic.
  const given = form === 'colon' ? words.slice(1) : words;
  for (const [index, word] of given.entries()) {
    // `gcloud run services list`: the first word is a group.
    if (index === 0 && word === 'run' && given.length > 1) continue;
    if (READING_VERBS.has(word) || /^(?:get|list|describe|show|view)-/.test(word)) return true;
    if (CHANGING_VERBS.has(word)) return false;
  }
  return false;
}

/** `DescribeInstances` is the same as `describe-instances`. */
const operationOf = (word: string) => word.replace(/([a-z])(?=[A-Z])/g, '$1-').toLowerCase();

/** Services whose API creates, changes and deletes machines, domains, repositories or payments. */
const PROVIDER_API =
  /^(?:api\.(?:digitalocean|linode|vultr|cloudflare|heroku|vercel|netlify|render|stripe|godaddy|namecheap|gandi|fly|machines|hetzner|github|bitbucket|scaleway|equinix|packet|upcloud|exoscale|supabase|neon|planetscale|turso|railway|koyeb|fastly|twilio|sendgrid|mailgun|pagerduty|datadoghq|newrelic|sentry|circleci|buildkite|atlassian)\b.*|api\.hetzner\.cloud|api\.machines\.dev|dns\.hetzner\.com|backboard\.railway\.app|.*\.(?:amazonaws\.com|cloudapp\.net)|management\.azure\.com|(?:compute|container|cloudresourcemanager|sqladmin|storage|iam|dns|run|cloudfunctions)\.googleapis\.com)$/;
/** Services where requests that create something are everyday work, or have a rule of their own. */
const EVERYDAY_POST = /^api\.(?:github|twilio|sendgrid|mailgun|sentry|atlassian|datadoghq|pagerduty|bitbucket)\b/;

/** Paths of requests that say themselves what they destroy. */
const DESTROYING_PATH =
  /\/(?:admin\/)?(?:do)?(?:delete|destroy|reset|purge|wipe|drop|truncate|shutdown|terminate|flush|nuke|disable|stop|restart|reboot|kill|seal|step-down|rekey|revoke-force|decommission|deprovision|evacuate|failover|deregister|drain|delete_by_query|clear)(?:[-_/]?all)?(?:[/?#]|$)/i;

/** A request that deletes something on a public host, or changes something at a provider. */
function requestsChange({ name, args }: ShellCommand): boolean {
  if (!/^(?:curl|wget2?|https?|xh|xhs|curlie|httpie)$/.test(name)) return false;
  const method = methodOf(name, args);
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return false;
  const hosts = args.filter(isAddress).map(hostOf);
  return hosts.some((host) => {
    if (host === '' || isPrivateHost(host)) return false;
    if (/^(?:DELETE|PURGE|BAN|UNLOCK)$/.test(method) || args.some((arg) => isAddress(arg) && DESTROYING_PATH.test(arg)))
      return true;
    return PROVIDER_API.test(host) && !(method === 'POST' && EVERYDAY_POST.test(host));
  });
}

const isAddress = (arg: string) => /^https?:\/\//.test(arg) || /^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(arg);

function methodOf(name: string, args: readonly string[]): string {
  if (/^(?:https?|xhs?|httpie)$/.test(name)) {
    const [first = ''] = args.filter((arg) => !arg.startsWith('-'));
    return /^[a-z]+$/i.test(first) ? first.toUpperCase() : 'GET';
  }
  const [given] = optionValues(args, /^(?:-[a-zA-Z#]*X|--request=?|--method=?)(.*)$/);
  if (given !== undefined) return given.toUpperCase();
  const sends = args.some((arg) => /^(?:-[a-zA-Z]*d|--data\S*|--json|-F|--form\S*|--post-\S+)/.test(arg));
  return sends && !args.some((arg) => /^(?:-G|--get)$/.test(arg)) ? 'POST' : 'GET';
}

const DESTROYING_METHOD = /[/.](?:Delete|Remove|Drop|Purge|Destroy|Reset|Terminate|Wipe|Truncate|Shutdown|Revoke)\w*$/;

/** `grpcurl host:443 shop.Users/DeleteUser`. */
function callsDestroyingMethod({ args, suspected }: ShellCommand): boolean {
  const host = args.find((arg) => /^[\w.-]+:\d+$/.test(arg)) ?? '';
  return !suspected && !isPrivateHost(hostOf(host)) && args.some((arg) => DESTROYING_METHOD.test(arg));
}

/** Words and options that name the systems that customers use. */
const PRODUCTION =
  /(?:^|\s)(?:-[neaspc]|--(?:context|kube-context|namespace|stage|env|environment|app|database|settings|target|cluster|profile|project|destination|remote|limit|alias|config|function-name|service|table-name|resource-group|stack-name|stack|workspace|cluster-name|instance))[= ](?:\S*[-_./:@])?(?:prod|production|prd|live)(?:[-_./:@]\S*)?(?=\s|$)|^(?:prod|production|live)\s|(?:^|\s)--prod(?:uction)?(?:=true)?(?=\s|$)|:(?:prod|production)(?=\s|$)|(?:^|[\s/:@_]|\b(?:environment|env|stage|target)=)(?:prod|production)(?=[\s/._:]|$)/i;
const PRODUCTION_VARIABLE =
  /^(?:RAILS_ENV|RACK_ENV|MIX_ENV|APP_ENV|DJANGO_ENV|FLASK_ENV|NODE_ENV|ENVIRONMENT|ENV|STAGE)=prod/i;
/** A context or a project of that name, which an earlier command of the line chose. */
const PRODUCTION_SYSTEM =
  /^(?:KUBE_?CONTEXT|CLOUDSDK_CORE_PROJECT|AWS_(?:DEFAULT_)?PROFILE|TF_WORKSPACE|STAGE|HEROKU_APP)=(?:\S*[-_./:@])?(?:prod|production|prd|live)(?:[-_./:@]|$)/i;
const DEPLOYS =
  /(?:^|[\s:])(?:deploy\S*|migrate\S*|apply|create|edit|scale|label|annotate|set(?: image)?|config:set|run|rollout (?:undo|restart)|cp|patch|upgrade|install|rollback|restart|update\S*|invoke|seed|push|put|sync|up)(?=[\s:]|$)/;
/** Programs that deploy to, or migrate the database of, the system that an argument names. */
const DEPLOYERS: ReadonlySet<string> = new Set(
  'cap mina kamal sls serverless sst eb copilot fab rails rake manage.py alembic flyway liquibase prisma knex sequelize sequelize-cli typeorm artisan dokku pulumi skaffold waypoint kustomize helmfile werf ansible-playbook'.split(
    ' ',
  ),
);
const MIGRATES = /(?:^|[\s:])(?:db:(?:migrate|seed|rollback|setup)\S*|migrate\S*|seed|rollback|downgrade)(?=[\s:]|$)/;

/** Deployments whose production option has no value, or for which no subcommand is needed, with the program's name. */
const DEPLOYS_TO_PRODUCTION =
  /^(?:netlify|ntl) deploy\b.*\s-[a-zA-Z]*p\b|^(?:vercel|vc) (?:-\S+ )*--prod(?:=true)?(?=\s|$)/;

/** `kustomize build overlays/prod | kubectl apply -f -`: the manifests say for which system they are. */
function appliesForProduction({ name, args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:kubectl|oc)$/.test(name) || !args.some((arg) => /^(?:apply|create|replace)$/.test(arg)))
    return false;
  const isFed = optionValues(args, /^(?:-f|--filename=?)(.*)$/).some((file) => file === '-' || file === '/dev/stdin');
  return isFed && fedBy.some((source) => PRODUCTION.test(source.args.join(' ').slice(0, 2000)));
}

/** A deployment to production, or a change of its database. */
function changesProduction(command: ShellCommand): boolean {
  const { name, args, variables, suspected } = command;
  if (suspected || ![...args, ...variables].some((arg) => /prod|prd|live/i.test(arg)) || onlyInforms(command))
    return false;
  // An argument with spaces is a message.
  const text = args
    .filter((arg) => !/\s/.test(arg))
    .join(' ')
    .slice(0, 2000);
  if (/(?:^|\s)(?:--check|--list\S*|--plan|--pretend|--sql|diff|plan|status|logs?)(?:\s|$)/.test(text)) return false;
  if (variables.some((one) => PRODUCTION_VARIABLE.test(one)) && MIGRATES.test(text)) return true;
  if (variables.some((one) => PRODUCTION_SYSTEM.test(one)) && CLOUD_NAMES.has(name) && DEPLOYS.test(text)) return true;
  const deploys = CLOUD_NAMES.has(name) || DEPLOYERS.has(name) || /\bmanage\.py |\bartisan /.test(text);
  return deploys && DEPLOYS.test(text) && PRODUCTION.test(text);
}

/** Variables with which terraform does not ask for a confirmation. */
const UNCONFIRMED =
  /^TF_CLI_ARGS(?:_\w+)?=.*-auto-approve|^(?:TG|TERRAGRUNT)_(?:NON_INTERACTIVE|AUTO_APPROVE)=(?:true|1)/;
const TERRAFORM = /^(?:terraform|tofu|terragrunt|pulumi|cdk)$/;

/** `terraform apply FILE`: a saved plan is applied without a question. `terragrunt run-all` does not ask for each module. */
function appliesSavedPlan({ name, args }: ShellCommand): boolean {
  if (!/^(?:terraform|tofu|terragrunt)$/.test(name)) return false;
  const words = operandsWithout(args, TERRAFORM_VALUES);
  if (name === 'terragrunt' && /^(?:run-all|run)$/.test(words[0] ?? ''))
    return words[1] === 'apply' || args.includes('--all');
  return words[0] === 'apply' && words.length > 1;
}

const TERRAFORM_VALUES = /^-{1,2}(?:var|var-file|target|replace|state|state-out|backup|lock-timeout|parallelism)$/;

/** The confirmation of the program is answered by a variable, by its input or by a saved plan. */
function confirmsItself(command: ShellCommand): boolean {
  const { name, args, variables, input, fedBy } = command;
  if (name === 'export') return args.some((arg) => UNCONFIRMED.test(arg));
  if (!TERRAFORM.test(name)) return false;
  if (!args.some((arg) => /^(?:apply|destroy|up|down|deploy|run-all|refresh)$/.test(arg))) return false;
  return (
    appliesSavedPlan(command) ||
    variables.some((one) => UNCONFIRMED.test(one)) ||
    /^\s*y(?:es)?\s*$/i.test(input ?? '') ||
    fedBy.some((source) => source.name === 'yes')
  );
}

/** Changes to clusters, clouds and hosted services that the rules about destruction do not cover. */
export const CLOUD_CHANGE_RULES: readonly CommandRule[] = [
  {
    rule: CHANGE,
    commands: [...CLOUD_NAMES],
    everydayName: true,
    byArguments: true,
    alwaysByPrefix: true,
    when: changesCloud,
  },
  {
    rule: CHANGE,
    commands: 'curl wget wget2 http https xh xhs curlie httpie'.split(' '),
    everydayName: true,
    byArguments: true,
    when: requestsChange,
  },
  {
    rule: CHANGE,
    commands: ['grpcurl', 'grpc_cli', 'evans', 'buf'],
    everydayName: true,
    byArguments: true,
    when: callsDestroyingMethod,
  },
  { rule: 'change something on another machine', when: changesProduction },
  { rule: 'change something on another machine', aboutInput: true, when: appliesForProduction },
  {
    rule: 'change something on another machine',
    commands: ['netlify', 'ntl', 'vercel', 'vc'],
    everydayName: true,
    byArguments: true,
    when: (command) =>
      !onlyInforms(command) && DEPLOYS_TO_PRODUCTION.test(`${command.name} ${command.args.join(' ').slice(0, 2000)}`),
  },
  {
    rule: CHANGE,
    commands: ['terraform', 'tofu', 'terragrunt', 'pulumi', 'cdk', 'export'],
    byArguments: true,
    when: confirmsItself,
  },
];
