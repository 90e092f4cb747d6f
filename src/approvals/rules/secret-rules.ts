import { readsSecrets } from '../files/guarded-paths.ts';
import { usesNamesOnly } from '../files/read-arguments.ts';
import { namesEnvFile } from '../files/env-files.ts';
import { OF_WORKLOAD, SECRET_RULE } from '../files/secrets.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { isShown } from './environment-rules.ts';
import type { CommandRule } from './rule.ts';

/**
 * Commands that print or create a secret: the programs, what the subcommand and its operands match, what the options
 * match, and options with which the command is allowed after all. With `shown`, output that another program takes does
 * not count.
 */
type SecretReader = readonly [programs: string, verbs: RegExp, options?: RegExp, unless?: RegExp, shown?: 'shown'];

const READERS: readonly SecretReader[] = [
  ['gh glab', /^auth (?:token|git-credential)\b/],
  ['gh glab', /^auth status\b/, /(?:^|\s)(?:-t|--show-token)\b/],
  ['npm pnpm yarn', /^config (?:get|list|ls)\b.*(?:_auth|_password|authToken)/i],
  ['npm pnpm', /^token create\b/],
  ['pip pip3', /^config get \S*(?:password|token)/],
  ['poetry', /^config (?:http-basic|pypi-token)\.\S+$/],
  ['composer', /^config\b/, /(?:^|\s)(?:-a|--auth)\b/],
  ['bundle', /^config (?:get|list)\b/],
  ['rails spring', /^(?:credentials|encrypted|secrets):(?:show|edit|diff)\b/],
  ['kamal', /^secrets (?:print|fetch|extract)\b/],
  ['mix', /^hex\.user (?:auth|key)\b/],
  ['pass gopass', /^(?!(?:ls|list|find|search|git|init|help|version|--version|generate|insert|grep|cp|mv)(?:\s|$))\S/],
  ['security', /^(?:export|dump-keychain|dump-trust-settings|find-(?:generic|internet)-password)\b/],
  ['op', /^(?:read|item get|document get|inject)\b/],
  ['op', /^signin\b/, /--raw\b/],
  ['op', /^run\b/, /--no-masking\b/],
  ['bws', /^(?:secret|run|get|list)\b/],
  ['dashlane dcli', /^(?:password|p|note|n|secret|otp|read|exec|inject|backup)\b/],
  ['nordpass enpasscli enpass-cli kpcli kpscript protonpass pass-cli', /^(?:get|show|copy|pass|list|item|export)\b/],
  ['himalaya neomutt-auth oauth2l mutt_oauth2.py', /^(?:fetch|header|token)\b/],
  ['berglas', /^(?:access|exec)\b/],
  ['teller', /^(?:env|show|sh|export|yaml|run)\b/],
  ['akeyless', /^(?:get-\S*secret\S*|get-dynamic\S*|get-ssh\S*|describe-item)\b/],
  ['conjur', /^(?:variable (?:get|value)|authn)\b/],
  ['credstash', /^(?:get|getall)\b/],
  ['confidant summon', /^/],
  ['aws-vault', /^(?:export|login)\b/],
  [
    'aws-okta saml2aws aws-google-auth gimme-aws-creds aws-azure-login onelogin-aws-login',
    /^(?:env|script|exec|cred-process|list-roles|console)\b/,
  ],
  ['granted assume', /^(?:credential-process|sso-tokens|export)\b|^-(?:-export|x)/],
  [
    'kubelogin kubectl-oidc_login gke-gcloud-auth-plugin aws-iam-authenticator',
    /^(?:get-token|token|convert-kubeconfig)?/,
  ],
  ['argocd', /^(?:account generate-token|admin initial-password)\b/],
  ['snowsql', /^/, /--generate-jwt\b/],
  ['git-crypt', /^(?:export-key|unlock)\b/],
  ['git-secret', /^(?:reveal|cat)\b/],
  ['transcrypt', /^/, /(?:^|\s)(?:-d|--display|-s|--show-raw)\b/],
  ['blackbox_cat blackbox_postdeploy blackbox_decrypt_all_files blackbox_edit_start', /^/],
  ['gpg gpg2', /^/, /(?:^|\s)(?:-\w*d|--decrypt)\b/, undefined, 'shown'],
  ['gpg-preset-passphrase gpg-connect-agent', /^/, /GET_PASSPHRASE|--preset/i],
  [
    'openssl',
    /^(?:rsa|pkey|ec|dsa|pkcs12|pkcs8)\b/,
    /^(?!.*-(?:pubin|pubout|nokeys|check))(?=.*-in\b)/,
    /(?:^|\s)-(?:pubin|pubout|modulus|check|nokeys)\b/,
  ],
  ['keytool', /^/, /-importkeystore\b|-exportsecret/],
  ['ec2-metadata ec2metadata cloud-metadata', /^/],
  ['cloud-init', /^query\b/, /^/, /(?:^|\s)(?:-l|--list-keys)\b/],
  ['doctl', /^(?:auth token|kubernetes cluster kubeconfig show|databases connection|registry docker-config)\b/],
  ['linode-cli', /^(?:profile token-create|lke kubeconfig-view|databases \S*credentials\S*)\b/],
  ['hcloud scw', /^(?:context show|iam api-key (?:create|get)|secret version access|config (?:dump|get))\b/],
  ['railway', /^(?:variables?|run (?:env|printenv)|connect)\b/, /^/, /--set\b/],
  ['netlify ntl', /^env:(?:list|get|clone)\b/],
  ['supabase', /^status\b/, /(?:-o|--output)[= ]?(?:env|json|yaml|toml)/],
  ['supabase', /^projects api-keys\b/],
  ['wrangler', /^auth token\b/],
  ['firebase', /^(?:login:ci|functions:secrets:access|functions:config:get|apps:sdkconfig)\b/],
  ['eas expo', /^(?:env:(?:pull|get|list)|credentials)\b/],
  ['amplify', /^env get\b/],
  ['pulumi', /^/, /--show-secrets\b/],
  ['pulumi', /^config get\b|^env open\b/],
  [
    'terraform tofu terragrunt',
    /^output (?:\S+ )*\S*(?:password|secret|token|key|credential|kubeconfig|connection)\S*/i,
  ],
  ['terraform tofu', /^state pull\b/],
  ['consul', /^acl token (?:read|create|list)\b/],
  // A key-value store is searched by paths, whose names say what they contain.
  ['consul', /^kv (?:get|export)\b.*(?:secret|password|passwd|token|credential|private|api[_-]?key)/i],
  ['etcdctl', /^get\b.*(?:secret|password|passwd|token|credential|private|api[_-]?key)/i],
  ['zkCli.sh zkCli', /\bget\b.*(?:secret|password|passwd|token|credential|private|api[_-]?key)/i],
  ['nomad', /^(?:acl token (?:self|info|create)|var get)\b/],
  ['rancher', /^(?:token|clusters kubeconfig)\b/],
  ['minikube kind k3d', /^(?:get kubeconfig|kubeconfig (?:get|print))\b/],
  ['ansible', /^/, /ansible_password|ansible_become_pass/],
  ['docker podman nerdctl', /^(?:container |image )?inspect\b/, /Config\.Env|\.Env\b|json \.Config\b|json \.(?:\}|\s)/],
  ['docker podman', /^secret inspect\b/, /--showsecret|--pretty/],
  ['docker', /^context export\b/],
  ['tailscale', /^(?:debug prefs|cert)\b/],
  ['wg', /^(?:showconf|genkey|show \S+ (?:private-key|preshared-keys))\b/],
  ['nmcli', /^(?:connection|con|c|device|dev|d) (?:show|wifi show-password|wifi)\b/, /(?:^|\s)(?:-s|--show-secrets)\b/],
  ['netsh', /^wlan show profiles?\b/, /key=clear/],
  ['crontab-ui hashcat john', /^/, /--show\b/],
  ['circleci', /^(?:context show|setup)\b/],
  ['stripe', /^config\b/, /--list\b/],
  ['ngrok', /^(?:config check|api-keys)\b/],
  ['huggingface-cli hf', /^auth (?:token|list)\b/],
  ['gcloud', /^(?:auth describe|compute \S* get-credentials|sql connect)\b/],
  ['cmdkey vaultcmd', /^/, /^/],
  ['talosctl', /^kubeconfig\b.*\s-(?:\s|$)|^(?:config|gen) (?:new|config|secrets)\b/],
  ['docker', /^swarm (?:join-token|unlock-key)\b(?!.*--rotate)/],
  ['fastlane', /^spaceauth\b/],
  ['anaconda', /^auth\b.*(?:-l|--list)/],
  ['lpass', /^(?:show|export)\b/],
  ['keepassxc-cli', /^(?:show|export|clip)\b/],
  ['secret-tool', /^(?:lookup|search)\b/],
  ['keyring', /^get\b/],
  ['vault', /^login\b/, /-token-only\b/],
  ['git', /^secret (?:reveal|cat)\b/],
  ['vault', /^(?:kv get|read|token (?:create|lookup)|print token|unwrap)\b/],
  [
    'kubectl oc',
    /^get (?:\S+,)?secrets?(?:[/,.]\S*)?(?:\s|$)/,
    /(?:^|\s)(?:-o|--output|--template)/,
    /(?:-o|--output)[= ]?(?:name|wide)\b/,
  ],
  ['kubectl oc', /^(?:create token|view-secret|modify-secret|oidc-login get-token|extract secret)\b/],
  ['kubectl oc', /^describe secrets?\b/, /(?:^|\s)(?:-o|--output)/],
  ['kubectl oc', /^get\b/, /(?:jsonpath|go-template|custom-columns)\S*\benv\b/],
  ['oci', /^iam (?:auth-token|customer-secret-key|user api-key) (?:create|list)\b|^secrets secret-bundle get\b/],
  ['aliyun', /^(?:kms GetSecretValue|sts AssumeRole|configure get)\b/],
  ['python python3', /^keyring get\b/, /-m keyring\b/],
  ['kubectl oc', /^get\b/, /serviceaccounts?\/\S+\/token|--raw\S*secrets/],
  ['oc', /^(?:sa (?:get-token|create-kubeconfig)|serviceaccounts get-token)\b/],
  ['kubectl oc', /^config view\b/, /--(?:raw|flatten)\b/],
  ['oc', /^whoami\b/, /(?:^|\s)(?:-t|--show-token)\b/],
  [
    'aws',
    /^(?:secretsmanager (?:get-secret-value|batch-get-secret-value|get-random-password)|sts (?:get-session-token|assume-role\S*|get-federation-token)|iam create-(?:access-key|login-profile|service-specific-credential)|configure (?:get \S*(?:secret|token|key)\S*|export-credentials)|ssm get-parameters?-by-path|kms decrypt|codeartifact get-authorization-token|lightsail download-default-key-pair|ec2 (?:create-key-pair|get-password-data)|sso get-role-credentials|sso-oidc create-token|ecr(?:-public)? get-authorization-token|eks get-token|rds generate-db-auth-token|redshift get-cluster-credentials\S*|cognito-identity get-credentials-for-identity|dsql generate-db-connect\S*|lambda get-function-configuration|transfer describe-user|appsync list-api-keys|apigateway get-api-keys?|grafana create-workspace-api-key|iot create-keys-and-certificate)\b/,
  ],
  ['aws', /^ecr(?:-public)? get-login/, /^/, undefined, 'shown'],
  ['aws', /^ssm get-parameters?\b/, /--with-decryption/],
  [
    'gcloud',
    /^auth (?:application-default )?print-(?:access|identity)-token\b|^secrets versions access\b|^iam service-accounts keys create\b|^kms decrypt\b|^config config-helper\b|^sql users\b.*password/,
  ],
  [
    'az',
    /^account get-access-token\b|^keyvault (?:secret|key) (?:show|download|backup)\b|^storage account keys list\b|^(?:acr|cosmosdb|redis|servicebus\b.*|eventhubs\b.*) .*(?:credential show|list-keys|keys list)\b|^ad (?:sp|app) (?:create-for-rbac|credential reset)\b|^webapp deployment list-publishing|^storage account show-connection-string\b|^(?:storage|functionapp|webapp|iot hub|signalr|search|cognitiveservices account|maps account|batch account|appconfig)\b.*(?:keys list|key list|list-keys|connection-string show|credential list|show-connection-string|generate-sas)\b|^aks get-credentials\b|^acr login\b.*--expose|^(?:webapp|functionapp) config (?:appsettings|connection-string) list\b/,
  ],
  ['git', /^credential(?:-\w+)? (?:fill|get)\b/],
  ['heroku', /^(?:config|config:get|auth:token|authorizations:create|pg:credentials(?::url)?)(?:\s|$)/],
  ['fly flyctl', /^(?:auth token|tokens create)\b/],
  ['doppler', /^secrets (?:download|get)\b|^secrets$/],
  ['infisical', /^(?:export|secrets get|secrets)\b/],
  ['chamber', /^(?:export|read|env|exec)\b/],
  ['sops', /^/, /(?:^|\s)(?:-d|--decrypt)\b/],
  ['sops', /^decrypt\b/],
  ['age rage', /^/, /(?:^|\s)(?:-d|--decrypt)\b/],
  ['ansible-vault', /^(?:view|decrypt)\b/],
  ['vercel', /^env pull\b/],
  ['az', /^acr login\b/, /--expose-token\b/],
  ['sops', /^exec-(?:env|file)\b/],
  ['git', /^config\b.*(?:extraheader|token|password|secret)/i, /^/, /--unset/],
  ['ssh-keygen', /^/, /(?:^|\s)-\w*y/, /(?:^|\s)-\w*Y/],
  ['rclone', /^config (?:show|dump|redacted|userinfo|reconnect)\b|^(?:reveal|obscure --reveal)\b/],
  ['s3cmd', /^/, /--dump-config\b/],
  ['mc', /^(?:alias|config host) (?:list|ls|export)\b/],
  ['mc', /^admin (?:user svcacct|policy|config get|accesskey)\b/],
  ['gh glab', /^config get \S*(?:token|password)/],
  ['glab', /^(?:token create|variable (?:get|export)|auth git-credential)\b/],
  ['fly flyctl', /^tokens? (?:list|create|debug)\b/],
  ['vercel', /^env ls\b/, /--decrypt\b/],
  ['mysql_config_editor', /^print\b/],
  ['my_print_defaults', /^/, /(?:^|\s)-s\b|--show/],
  ['my_print_defaults', /^client\b/],
  ['nmcli', /^/, /(?:^|\s)(?:-\w*s|--show-secrets)\b|psk\b/],
  [
    'docker-credential-desktop docker-credential-osxkeychain docker-credential-pass docker-credential-secretservice docker-credential-ecr-login docker-credential-gcloud docker-credential-gh docker-credential-wincred git-credential-osxkeychain git-credential-store git-credential-manager',
    /^(?:get|list)\b/,
  ],
  ['podman buildah skopeo', /^login\b/, /--get-login\b/],
  ['databricks', /^(?:auth (?:token|env)|tokens (?:create|list)|secrets get-secret)\b/],
  ['llm', /^keys get\b/],
  ['getent', /^g?shadow\b/],
  ['keyctl', /^(?:print|pipe|read)\b/],
  ['jupyter', /^(?:server|notebook|lab) list\b/],
  ['yt-dlp youtube-dl gallery-dl streamlink you-get', /^/, /--cookies-from-browser\b/],
  [
    'firefox_decrypt firefox_decrypt.py hack-browser-data chromepass browserpass cookiecutter-decrypt pypykatz secretsdump.py dploot donpapi chainbreaker',
    /^/,
  ],
  [
    'aws',
    /^(?:cognito-idp (?:admin-)?initiate-auth|lightsail get-instance-access-details|redshift-serverless get-credentials|ds describe-\S*secret|connect get-federation-token|iot describe-\S*secret|workmail get-\S*password|opsworks describe-user-profiles|mq describe-user|gamelift get-compute-auth-token|emr get-cluster-session-credentials|lakeformation get-temporary\S*|s3control get-data-access|sagemaker create-presigned\S*|ssm get-access-token|ec2-instance-connect send-ssh\S*)\b/,
  ],
  [
    'gcloud',
    /^(?:auth print-\S+|alpha\S* auth print\S*|iam service-accounts sign-\S+|services api-keys get-key-string|sql generate-login-token|compute reset-windows-password|compute os-login describe-profile)\b/,
  ],
  [
    'az',
    /^(?:ad app credential (?:list|reset)|.* (?:list-(?:keys|connection-strings|admin-keys|secrets)|show-connection-string|regenerate-key\S*|list-credentials|get-credentials))\b/,
  ],
  ['argocd', /^(?:account get-token|cluster get)\b/],
  ['helm', /^get all\b/],
  ['kubeseal', /^/, /--recovery-(?:unseal|private-key)\b/],
  [
    'gsutil aws gcloud rclone mc s3cmd',
    /^(?:s3 |storage )?(?:cat|cp|copyto)\b.*(?:secret|credential|password|token|\.env|\.pem|key\.json)\S* *(?:-|\/dev\/stdout)?$/i,
  ],
  ['fly flyctl', /^config (?:env|show --secrets)\b/],
  ['travis', /^env (?:list|copy)\b/],
  ['ansible', /^/, /(?:^|\s)(?:var|msg)=\S*(?:pass|secret|token|key|cred|env)|ansible_env\b/i],
  ['envconsul', /(?:^|\s)(?:env|printenv)$/],
  ['atuin mcfly hishtory', /^(?:search|history|export|query|dump)\b/],
  ['helm', /^get (?:values|all|manifest)\b/, /(?:^|\s)(?:-a|--all)\b/],
  ['gopass pass', /^(?:show|otp|grep|-c)\b/],
  ['bw rbw', /^(?:list|send|receive|code|get|export|unlock)\b/],
  ['proton-pass keeper ksm dashlane tpass', /^(?:get|show|list|export|secret|exec|view|copy)\b/],
  ['ssh-keygen', /^/, /(?:^|\s)-\w*[ep]\b.*id_/],
  ['gpg gpg2', /^/, /--(?:export-secret\S*|list-packets|export-ssh-key --secret|show-session-key)/],
  ['gpg-connect-agent', /\b(?:get_passphrase|export_key|keyinfo --list)\b/i],
  ['kwalletd5 kwallet-query kwalletcli seahorse-tool libsecret-tool', /^/, /(?:^|\s)-/],
  ['dbus-send gdbus busctl qdbus qdbus6', /^/, /kwallet|readPassword|org\.freedesktop\.secrets|GetSecrets?\b/],
  ['dbus-send gdbus busctl qdbus qdbus6', /kwalletd|readPassword|org\.freedesktop\.secrets|GetSecrets?\b/],
  ['defaults', /^read\b.*(?:password|token|secret|credential)/i],
  ['twilio', /^profiles list\b/, /--show/],
  ['twilio', /^api core keys create\b/],
  ['cf', /^(?:oauth-token|service-key|env)\b/],
  ['ibmcloud', /^(?:iam (?:oauth-tokens|api-key\S*|access-token)|resource service-key\b|secrets-manager secret\b)/],
  ['oci', /^(?:session export|raw-request)\b/],
  ['oci', /^session authenticate\b/, /--print/],
  ['turso', /^(?:auth token|db tokens create|config token)\b/],
  ['neonctl', /^(?:connection-string|cs)\b/],
  ['pscale', /^(?:password create|service-token create|auth token)\b/],
  ['mimikatz lazagne hashdump gpp-decrypt', /^/],
];

const BY_PROGRAM: ReadonlyMap<string, SecretReader[]> = READERS.reduce((index, reader) => {
  for (const program of reader[0].split(' ')) index.set(program, [...(index.get(program) ?? []), reader]);
  return index;
}, new Map<string, SecretReader[]>());

function printsSecret(command: ShellCommand): boolean {
  const { name, args } = command;
  const words = parseSubcommand(name, args).words.slice(0, 8).join(' ').slice(0, 500);
  const options = args.filter((arg, index) => arg.startsWith('-') || args[index - 1]?.startsWith('-')).join(' ');
  const all = args.join(' ').slice(0, 500);
  return (BY_PROGRAM.get(name) ?? []).some(
    ([, verbs, wanted, unless, shown]) =>
      verbs.test(words) &&
      (wanted === undefined || wanted.test(options) || wanted.test(all)) &&
      !unless?.test(options) &&
      (shown === undefined || isShown(command)),
  );
}

/** Programs that read the content of an archive. */
const UNPACKERS = new Set(
  'tar bsdtar gtar unzip 7z 7za 7zz zcat gunzip gzip zgrep cpio python3 python bsdcat xz zstd'.split(' '),
);

const SECRET_PATTERN = /pass|token|secret|key\b|auth(?!or)|bearer|cred.*=|extraheader|sk-|ghp_|akia/i;

/** A search for keys in the settings of a client, in the state of Terraform or in the history of the shell. */
function searchesOutput({ name, args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:[ef]?grep|rg|ag|ack|awk|gawk|sed|jq)$/.test(name)) return false;
  const isSearched = fedBy.some(
    (source) =>
      /^(?:history|fc)$/.test(source.name) ||
      (/^(?:terraform|tofu|terragrunt)$/.test(source.name) && source.args[0] === 'show') ||
      (/^(?:git|npm|pnpm|yarn|pip3?|composer|bundle)$/.test(source.name) && source.args[0] === 'config'),
  );
  return isSearched && args.some((arg) => SECRET_PATTERN.test(arg));
}

/** The files through which containers get their secrets, also inside a container. */
function readsWorkloadSecret({ name, args, remote, suspected }: ShellCommand): boolean {
  if (remote === undefined || suspected || usesNamesOnly(name)) return false;
  return args.some(
    (arg) => OF_WORKLOAD.test(arg) || readsEnvFile(arg) || /^\/proc\/[^/]+\/environ$|^\/etc\/shadow$/.test(arg),
  );
}

/** Whether an argument names an environment file, also after a revision or an option. */
const readsEnvFile = (arg: string) =>
  arg.length < 500 && !/\s/.test(arg) && namesEnvFile(arg.split(/[/:=]/).at(-1) ?? '');

/** Commands that reveal secrets to the model and to everyone who reads the session, or that delete them. */
export const SECRET_RULES: readonly CommandRule[] = [
  { rule: SECRET_RULE, when: (command, facts) => command.remote !== 'container' && readsSecrets(command, facts) },
  { rule: SECRET_RULE, when: readsWorkloadSecret },
  { rule: SECRET_RULE, everydayName: true, commands: [...BY_PROGRAM.keys()], when: printsSecret },
  {
    rule: SECRET_RULE,
    commands: ['terraform', 'tofu'],
    everydayName: true,
    when: ({ args, input }) => args[0] === 'console' && SECRET_PATTERN.test(input ?? ''),
  },
  // A backup of Hermes contains its keys.
  {
    rule: SECRET_RULE,
    when: ({ name, consumers }, { backup }) =>
      backup === true &&
      (UNPACKERS.has(name) || consumers.some((stage) => stage.some((one) => UNPACKERS.has(one.name)))),
  },
  // The output of inspect contains the variables of the container.
  {
    rule: SECRET_RULE,
    aboutInput: true,
    when: ({ name, args, fedBy }) =>
      /^(?:jq|yq|grep|rg|python3?)$/.test(name) &&
      fedBy.some((source) => /^(?:docker|podman|nerdctl)$/.test(source.name) && source.args.includes('inspect')) &&
      args.some((arg) => /\bEnv\b|pass|secret|token|key/i.test(arg)),
  },
  // Without a dash, `e` shows the environment of every process; on macOS the option is -E.
  {
    rule: SECRET_RULE,
    everydayName: true,
    commands: ['ps'],
    when: ({ args }) =>
      args.some(
        (arg, index) =>
          /^-E|^-o.*environ/.test(arg) || (/^[a-z]*e[a-z]*$/.test(arg) && !args[index - 1]?.startsWith('-')),
      ),
  },
  { rule: SECRET_RULE, aboutInput: true, when: searchesOutput },
  {
    rule: 'change credentials',
    everydayName: true,
    commands: 'gpg gpg2 pass gopass op bw secret-tool keyring security'.split(' '),
    when: ({ name, args }) => DELETES_SECRET.test(`${name} ${args.join(' ')}`),
  },
];

/** Commands that permanently delete a key or a password. */
const DELETES_SECRET =
  /^gpg2? .*--delete-secret|^(?:gopass|pass) (?:rm|remove|delete)\b|^op (?:item|vault|document) delete\b|^bw delete\b|^secret-tool clear\b|^keyring del\b|^security delete-/;
