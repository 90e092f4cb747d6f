/** How the subcommand of a program says what it does. */
export type CloudProgram = {
  /** Subcommands that run without approval although they are not plain reading verbs. */
  allows: RegExp;
  /** Arguments with which an otherwise allowed subcommand needs approval. Matched against all arguments. */
  asks?: RegExp;
  /**
   * `operation`: the second word is an operation such as `describe-instances`, whose first part is the verb.
   * `colon`: the words are separated by colons, and a topic without a verb lists.
   */
  form?: 'operation' | 'colon';
};

/** The tables of this module. */
export type CloudVerbs = typeof import('./cloud-verbs.ts');

const words = (text: string) => new Set(text.split(' '));

/** Verbs that only read, prepare something locally, or sign in. */
export const READING_VERBS: ReadonlySet<string> = words(
  [
    'list ls get describe show view status info log logs tail head search find query lookup check checks validate',
    'verify lint fmt format diff plan preview explain top history whoami who-am-i version help completion completions',
    'docs doc doctor open browse browser inspect print ps stats events event wait watch cat read estimate simulate test',
    'count download pull clone graph output outputs current login init dev serve build local metrics usage report',
    'schema retrieve fetch stat du health ping dashboard console env-vars what-if synth template scan members catalog',
    'exists list-keys analyze about feedback survey telemetry interactive environment regions sizes locations target',
  ].join(' '),
);

/** Verbs that change something. The first word of either list decides. */
export const CHANGING_VERBS: ReadonlySet<string> = words(
  [
    'create delete destroy update set unset add remove rm stop start restart reboot reset rebuild resize scale deploy',
    'apply patch edit replace put push import export move mv rename attach detach enable disable enroll unenroll grant',
    'revoke assign unassign approve deny reject cancel abort pause resume suspend rollback promote failover switch',
    'transfer release purge prune clear flush drain cordon taint terminate shutdown poweroff power-off kill killall',
    'rotate seal unseal undelete restore recover undeploy uninstall install upgrade downgrade register deregister link',
    'unlink run exec execute invoke send publish sync merge archive lock unlock action reinstall format wipe erase',
    'redeploy set-policy set-permission bulk-delete down up leave join tag untag convert migrate refund',
  ].join(' '),
);

/** The first part of AWS operations that only read. */
export const READING_OPERATIONS =
  /^(?:describe|get|list|ls|show|status|head|batch-get|search|scan|query|lookup|filter|tail|wait|validate|test|simulate|estimate|preview|view|check|verify|select|detect|discover|poll|receive|decode|help|count|count-pages|compare|analyze|assess|evaluate|is|can)(?:-|$)/;

const KUBERNETES: CloudProgram = {
  allows:
    /^(?:apply|create|edit|scale|label|annotate|set|run|exec|attach|cp|port-forward|proxy|auth|plugin|kustomize|expose|autoscale|debug|api-resources|api-versions|cluster-info|options|config (?!delete|unset)|rollout (?:status|history|restart|undo|resume)|projects?|new-app|start-build|rsh|rsync|whoami|ctx|ns|neat|tree|krew (?:list|search|info|update))\b/,
  asks: /(?:^|\s)--replicas[= ]0\b|(?:^|\s)proxy\b.*(?:--address[= ]0\.0\.0\.0|--accept-hosts)|(?:^|\s)--prune\b/,
};
const TERRAFORM = /^(?!state (?:mv|push|replace-provider)|stack (?:import|rename)|cancel|import-|env set)/;
const FLY =
  /^(?:deploy|launch|apps (?:list|open)|m(?:achines?)? (?:list|status|run|start)|auth (?:whoami|login|docker|token)|secrets list|releases|regions|platform|proxy|ssh (?:console|issue|sftp)|sftp|checks|ips list|volumes? (?:list|show)|config (?:show|validate|save|env)|scale show|postgres (?:list|connect|db list)|tokens? list|wireguard list|orgs (?:list|show)|console|jobs|image show|mcp)\b/;

/** Programs for clouds, clusters and hosted services, judged by their subcommand. What is not allowed needs approval. A plain expression says what is allowed. */
export const CLOUD_PROGRAMS: Readonly<Record<string, CloudProgram | RegExp>> = {
  aws: {
    form: 'operation',
    allows:
      /^(?:configure|login|help|history|s3 (?:cp|sync|presign|mb)|sso (?:login|logout)|eks update-kubeconfig|lambda (?:invoke|update-function-code|publish-version)|sqs send-message|sns publish|s3api (?:put-object|create-bucket)(?:\s|$)|cloudformation (?:deploy|package|create-change-set)|cloudfront create-invalidation|ecr create-repository|dynamodb (?:put-item|update-item)|codeartifact login|ecs run-task|batch submit-job|bedrock\S* (?:invoke|converse)\S*|polly synthesize|ssm start-session|\S+ start-(?:instances?|query\S*|execution|sync-execution|build|job-run|live-tail|pipeline-execution|task|transcription-job))\b/,
    asks: /\bstart-session\b.*--document-name[= ]\S*(?:Command|Document)|\bapigateway\S* (?:create|delete)/,
  },
  aliyun: { form: 'operation', allows: /^(?:configure|oss (?:ls|cp|cat|stat))\b/ },
  gcloud: {
    allows:
      /^(?:config(?:urations)? |config configurations|components|topic|auth (?:login|configure-docker|application-default login|list)|app (?:deploy|browse|open)|run (?:deploy|services proxy)|functions (?:deploy|call)|builds (?:submit|log)|storage (?:cp|rsync|ls|cat|du)|compute (?:ssh|scp|start-iap-tunnel|instances start|config-ssh)|container clusters (?:get-credentials|create)|docker|beta emulators|emulators|projects (?:list|describe)|artifacts docker|meta|cheat-sheet|logging (?:read|tail)|alpha interactive|sql connect|survey)\b/,
    asks: /^config\S* (?:delete|unset)\b|^compute ssh\b.* -- /,
  },
  az: {
    allows:
      /^(?:login|account set|configure|config |bicep|deployment \S+ (?:what-if|validate|create)|vm start|devops configure|boards work-item (?:create|update)|repos pr (?:create|update)|pipelines run|acr (?:login|build)|aks (?:get-credentials|install-cli)|webapp (?:up|log|ssh|deploy)|functionapp deployment|storage blob upload|storage (?:blob|file) (?:download|upload)|cache|find|interactive|upgrade|extension (?:add|list)|rest --method get|cloud set)\b/i,
    asks: /(?:^|\s)run-command\b|^ssh\b.* -- |^webapp log config/,
  },
  doctl: {
    allows:
      /^(?:auth (?:init|list|switch)|apps? (?:logs|create-deployment)|compute ssh|registry login|kubernetes cluster kubeconfig save|serverless (?:deploy|watch|functions invoke)|sandbox)\b/,
    asks: /--ssh-command/,
  },
  'linode-cli': /^(?:configure|--?\w|linodes boot)\b/,
  hcloud: /^(?:context (?!delete)|server (?:ssh|poweron|ip|metrics))\b/,
  scw: /^(?:config |init|autocomplete)\b/,
  oci: /^(?:setup|session|os object (?:get|put|list|head))\b/,
  ibmcloud: /^(?:target|regions|cr (?:login|images)|plugin|plugins|update|ks cluster config|apps?|services)\b/,
  openstack: /^(?:complete|server (?:ssh|start))\b/,
  cf: /^(?:apps?|push|target|t|services|marketplace|m|env|routes|domains|orgs|spaces|api|a|l|ssh|stacks|buildpacks|auth|-)(?:\s|$)/,
  heroku: {
    form: 'colon',
    allows:
      /^(?:config set|local|open|git (?:remote|clone)|run|ps (?:exec|copy|forward|wait)$|auth login|container (?:login|push|release)|plugins|autocomplete|create|apps create|pg (?:psql|connection-info|diagnose|bloat|locks|outliers|backups(?: (?:capture|url|info|schedules))?)|redis cli|ci|buildpacks|features|regions|spaces|status|stack|teams|update|which|accounts)\b/,
    asks: /^ps:exec\b/,
  },
  fly: FLY,
  flyctl: FLY,
  vercel:
    /^(?:$|[./~]|deploy|link|switch|teams? (?:ls|list|switch)|env pull|git connect|bisect|telemetry|curl|httpstat|guidance|dns ls)/,
  netlify: {
    form: 'colon',
    allows:
      /^(?:$|deploy|link|unlink|switch|sites create|functions (?:invoke|create|serve|build)|watch|recipes|api (?:get|list)\w*|addons list|blobs (?:get|list)|completion|clone)\b/,
  },
  ntl: { form: 'colon', allows: /^(?:$|deploy|link|switch|functions (?:invoke|serve))\b/ },
  firebase: {
    form: 'colon',
    allows:
      /^(?:deploy|use|emulators (?:start|exec|export)|login(?: (?:add|list|use))?|target|experiments|apps (?:create|sdkconfig)|ext dev|hosting (?:channel deploy|clone)|setup|auth export|functions shell|appdistribution distribute|projects create)\b/,
  },
  railway: {
    allows: /^(?:up|link|run|shell|connect|domain|environment|service|add|variables?(?:$|\s))\b/,
    asks: /--set\b|--remove\b/,
  },
  render: /^(?:deploys create|workspace|ssh|psql|blueprints validate)\b/,
  koyeb: /^(?:apps? init|deploy|services? (?:exec|redeploy))\b/,
  wrangler:
    /^(?:deploy|types|pages (?:dev|deploy|project list|deployment list|functions build)|d1 (?:execute|create|migrations (?:create|apply|list)|export|info)|kv (?:namespace (?:list|create)|key (?:list|get|put))|r2 (?:bucket (?:list|create|info)|object (?:get|put))|secret list|versions (?:list|view|upload)|deployments|generate|queues (?:list|create|info)|setup|complete|vectorize (?:list|info|query|get))\b/,
  supabase:
    /^(?:start|stop|link|gen|migration (?:new|list|up|repair|squash|fetch)|db (?:diff|pull|push|dump|lint|start|remote)|functions (?:serve|new|deploy|list|download)|secrets (?:list|set)|bootstrap|inspect|seed|services|snippets|sso list|orgs list|storage (?:ls|cp)|branches (?:list|get))\b/,
  stripe: {
    allows:
      /^(?:listen|trigger|samples|fixtures|resources|config|events resend|sandbox|community|playback|\w+ (?:retrieve|list|search))\b/,
    asks: /(?:^|\s)--live\b.*\b(?:create|update|delete|cancel|pay|capture)|\b(?:create|update|delete|cancel|pay|capture)\b.*--live\b/,
  },
  pulumi: TERRAFORM,
  terraform: TERRAFORM,
  tofu: TERRAFORM,
  terragrunt: TERRAFORM,
  cdk: /^(?:deploy|bootstrap|watch|notices|metadata|acknowledge|context|migrate|import|gc --action=print)\b/,
  cdktf: { allows: /^(?:deploy|synth|get|provider (?:add|list)|watch|convert)\b/, asks: /--auto-approve\b/ },
  sam: /^(?:deploy|package|pipeline|remote invoke|sync|traces|endpoint)\b/,
  serverless: /^(?:deploy|package|offline|invoke|dev|plugin|create|config|print|generate-event|slstats)\b/,
  sls: /^(?:deploy|package|offline|invoke|dev|plugin|create|print)\b/,
  eb: { allows: /^(?:deploy|ssh|use|create|codesource|platform|restore$|tags)\b/, asks: /^ssh\b.*\s(?:-c|--command)/ },
  copilot:
    /^(?:(?:app|env|svc|job) (?:ls|show|status|logs|init|package|exec)|deploy|svc deploy)\b|^(?:explain|suggest)/,
  amplify: /^(?:push|pull|add|configure|codegen|mock|publish|env (?:list|checkout|add)|sandbox)\b/,
  'ecs-cli': /^(?:compose|configure|images|push|pull|logs|local)\b/,
  kubectl: KUBERNETES,
  oc: KUBERNETES,
  helm: {
    allows:
      /^(?:install|upgrade|rollback|repo|dependency|dep|package|create|plugin list|registry|env|secrets (?:view|edit)|push|cm-push)\b/,
    asks: /^upgrade\b.*\s--(?:force|reset-values)\b|^repo remove\b/,
  },
  helmfile: /^(?:deps|repos|apply|sync|write-values|cache)\b/,
  eksctl: /^(?:create|utils (?:write-kubeconfig|describe\S*))\b/,
  kops: /^(?:export|toolbox (?:dump|template)|create)\b/,
  argocd: {
    allows:
      /^(?:app (?:sync|wait|resources|manifests|history|create|set)|context|account (?:list|get)|cluster list|relogin)\b/,
    asks: /--(?:prune|force)\b/,
  },
  flux: /^(?:reconcile|trace|tree|export|create|bootstrap|install|envsubst)\b/,
  istioctl: /^(?:proxy-\S+|ps|pc|bug-report|install|manifest|kube-inject|x|experimental|authz)\b/,
  linkerd: /^(?:install|viz|inject|identity|profile|prune|upgrade|diagnostics|multicluster check)\b/,
  cilium: /^(?:connectivity|hubble|sysdump|install|upgrade|endpoint list|bpf|policy get|monitor)\b/,
  velero: /^(?:(?:backup|schedule|restore) (?:create|describe|logs|get|download)|client)\b/,
  nomad: {
    allows:
      /^(?:agent|alloc (?:exec|fs|logs|status)|(?:job )?run|eval|monitor|ui|operator (?:api|raft list)|namespace (?:list|inspect)|fmt|server members)\b/,
    asks: /^operator api\b.*-X/,
  },
  consul:
    /^(?:agent|kv (?:get|put|export)|catalog|monitor|intention (?:list|match|check)|operator raft list|rtt|debug|connect envoy|services register|fmt)\b/,
  vault:
    /^(?:login|server|agent|proxy|kv (?:put|patch|list|enable-versioning)|write (?!auth\/|sys\/)|path-help|policy (?:list|read|fmt)|token capabilities|secrets list|auth list|audit list|plugin list|lease lookup|operator (?:diagnose|key-status|members|raft list-peers)|namespace list|ssh|transit|pki health-check|debug|monitor)\b/,
  minikube:
    /^(?:start|stop|pause|unpause|ssh|kubectl|image|addons|tunnel|service|ip|mount|profile|docker-env|podman-env|cp|node (?:list|add|start)|config|cache|license|update-context|update-check|options)\b/,
  kind: /^(?:create|load|get|export)\b/,
  k3d: /^(?:cluster (?:create|list|start|stop|get)|image import|kubeconfig|node (?:list|create|start)|registry (?:list|create)|config)\b/,
  vagrant:
    /^(?:up|halt|suspend|resume|reload|provision|ssh|ssh-config|box (?:list|add|outdated|update)|global-status|port|plugin (?:list|install)|snapshot (?:list|save)|rsync\S*|upload|winrm\S*|powershell|rdp|package|cloud (?:search|auth))\b/,
  multipass:
    /^(?:launch|start|stop|shell|exec|mount|umount|transfer|networks|aliases|set|alias|find|suspend|restart)\b/,
  lxc: /^(?:launch|start|stop|restart|exec|file|profile (?:list|show)|network (?:list|show)|image|remote|config|copy|storage (?:list|show|info)|project (?:list|switch)|snapshot|shell|monitor|init|import|export)\b/,
  incus:
    /^(?:launch|start|stop|restart|exec|file|profile (?:list|show)|network (?:list|show)|image|remote|config|copy|storage (?:list|show|info)|project (?:list|switch)|snapshot create|shell|monitor|init|import|export)\b/,
  databricks:
    /^(?:configure|auth (?:login|profiles|env|describe)|bundle (?:validate|deploy|run|init|summary)|jobs (?:run-now|submit)|fs (?:ls|cp|cat|mkdir)|workspace (?:export|import)\S*|clusters start|sync|api get|labs)\b/,
  bq: /^(?:ls|show|head|query|load|mk|extract|cp|shell|insert|partition|wait)\b/,
  snow: /^(?:sql|connection|app (?:run|validate|open)|snowpark (?:build|deploy|execute)|streamlit (?:deploy|get-url)|stage (?:copy|list-files)|object (?:list|describe)|cortex|notebook)\b/,
  turso:
    /^(?:auth (?:login|whoami)|db (?:shell|create|list|show|inspect|locations|tokens? create)|dev|plan show|group (?:list|create)|org list|config|quickstart|update)\b/,
  neonctl:
    /^(?:auth|me|connection-string|cs|set-context|(?:branches|projects|databases|roles) (?:list|get|create)|psql)\b/,
  pscale:
    /^(?:auth (?:login|check)|connect|shell|branch (?:list|create|show|schema|diff)|deploy-request (?:list|show|diff|create|review)|database (?:list|show|dump|create)|region list|org (?:list|show|switch)|ping|size|signup)\b/,
  atlas: {
    allows:
      /^(?:auth|migrate (?:diff|lint|status|hash|new|validate|apply)|schema (?:inspect|diff|fmt|lint|plan)|(?:clusters|projects|dbusers|accessLists|backups snapshots) (?:list|describe)|deployments (?:list|connect|start|setup)|license|config)\b/i,
  },
  gsutil: {
    allows:
      /^(?:-\S+ )*(?:ls|cp|cat|du|stat|mb|hash|rsync|version|config|signurl|notification list|perfdiag|label get|versioning get|test)\b/,
    asks: /(?:^|\s)rsync\b.*\s-[a-zA-Z]*d/,
  },
  eas: {
    form: 'colon',
    allows:
      /^(?:build|login|whoami|init|device list|update (?:list|view|configure)|diagnostics|project|channel (?:list|view)|branch (?:list|view)|analytics|credentials|env (?:list|pull))\b/,
  },
  gh: {
    allows:
      /^(?:$|api|(?:issue|pr|gist|release|label|project|discussion) (?:list|view|status|create|comment|edit|review|ready|close|reopen|checks|diff|checkout|merge|develop|pin|unpin|download|upload|verify\S*|clone|update-branch|revert|item-\S+|field-\S+|copy|link)|co |issue transfer|repo (?:list|view|clone|fork|create|set-default|gitignore|license|sync|edit|read-\S+)|run (?:list|view|watch|rerun|download)|workflow (?:list|view|run|enable)|(?:secret|variable) (?:list|get)|ruleset (?:list|view|check)|org list|(?:ssh|gpg)-key list|auth (?:login|status|refresh|setup-git|switch|token|git-credential)|config (?:get|list|set)|alias (?:list|set|import)|extension (?:list|search|browse|upgrade|create)|cache list|codespace (?:list|view|code|ssh|logs|ports|cp|jupyter|create|stop)|cs |search|browse|copilot|models|attestation (?:verify|download|trusted-root)|preview|completion|agent-task (?:list|view|create))(?:\s|$)/,
    asks: /^api\b(?=.*\s(?:-X|--method)[= ]?(?:POST|PUT|PATCH)\b)(?=.*\/(?:hooks|keys|collaborators|invitations|transfer|environments|secrets|protection|rulesets|installations)\b)|^repo sync\b.*\s--force\b|\s--delete-branch\b(?!.*\bmerge)(?<!merge.*)|^project (?:delete|item-delete)/,
  },
  glab: {
    allows:
      /^(?:$|api|(?:issue|mr|snippet|release|label|milestone|incident|iteration) (?:list|view|create|note|update|close|reopen|checkout|merge|approve|diff|for|rebase|todo|subscribe|unsubscribe|approvers|issues|upload|download|board\S*|edit|get)|ci (?:list|view|status|trace|run|retry|lint|get|config|artifact|trigger)|pipeline|pipe |job artifact|repo (?:clone|view|list|fork|create|search|archive|contributors|mirror)|variable (?:list|get|export)|auth (?:login|status|git-credential|docker-helper|configure-docker|dpop-gen)|config |alias|schedule list|ssh-key list|user events|check-update|cluster (?:list|agent list)|changelog|duo|stack|token list|work-items list)(?:\s|$)/,
    asks: /^(?:ci|pipeline) (?:delete|cancel)\b/,
  },
};
