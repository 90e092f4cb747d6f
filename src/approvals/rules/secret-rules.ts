import { readsSecrets } from '../files/guarded-paths.ts';
import { usesNamesOnly } from '../files/read-arguments.ts';
import { namesEnvFile } from '../files/env-files.ts';
import { OF_WORKLOAD, SECRET_RULE } from '../files/secrets.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { isShown } from './environment-rules.ts';
import type { CommandRule } from './rule.ts';

/**
 * Commands that print or create a secret, by program. `verbs` is matched against the subcommand and its operands,
 * `options` against the options; if both are given, both must match. With `shown`, output that another program takes
 * does not count.
 */
type SecretReader = { programs: string; verbs?: RegExp; options?: RegExp; unless?: RegExp; shown?: true };

const READERS: readonly SecretReader[] = [
  { programs: 'gh glab', verbs: /^auth (?:token|git-credential)\b/ },
  { programs: 'gh glab', verbs: /^auth status\b/, options: /(?:^|\s)(?:-t|--show-token)\b/ },
  { programs: 'npm pnpm yarn', verbs: /^config (?:get|list|ls)\b.*(?:_auth|_password|authToken)/i },
  { programs: 'npm pnpm', verbs: /^token create\b/ },
  { programs: 'pip pip3', verbs: /^config get \S*(?:password|token)/ },
  { programs: 'poetry', verbs: /^config (?:http-basic|pypi-token)\.\S+$/ },
  { programs: 'composer', verbs: /^config\b/, options: /(?:^|\s)(?:-a|--auth)\b/ },
  { programs: 'bundle', verbs: /^config (?:get|list)\b/ },
  { programs: 'rails spring', verbs: /^(?:credentials|encrypted|secrets):(?:show|edit|diff)\b/ },
  { programs: 'kamal', verbs: /^secrets (?:print|fetch|extract)\b/ },
  { programs: 'mix', verbs: /^hex\.user (?:auth|key)\b/ },
  { programs: 'gpg gpg2', options: /(?:^|\s)--export-secret-(?:sub)?keys?\b|(?:^|\s)--export-secret-ssh/ },
  {
    programs: 'pass gopass',
    verbs: /^(?!ls\b|list\b|find\b|search\b|git\b|init\b|help\b|version\b|generate\b|insert\b|grep\b|cp\b|mv\b)\S/,
  },
  {
    programs: 'security',
    verbs: /^(?:dump-keychain|export|(?:find-(?:generic|internet)-password))\b/,
    options: /^$|(?:^|\s)-\w*[wg]|(?:^|\s)-d\b/,
  },
  { programs: 'op', verbs: /^(?:read|item get|document get|inject|signin --raw)\b/ },
  { programs: 'op', verbs: /^run\b/, options: /--no-masking\b/ },
  { programs: 'bw rbw', verbs: /^(?:get|export|list items|unlock)\b/, options: /^(?!.*--help)/ },
  { programs: 'bws', verbs: /^(?:secret|run|get|list)\b/ },
  { programs: 'dashlane dcli', verbs: /^(?:password|p|note|n|secret|otp|read|exec|inject|backup)\b/ },
  {
    programs: 'nordpass enpasscli enpass-cli kpcli kpscript protonpass pass-cli',
    verbs: /^(?:get|show|copy|pass|list|item|export)\b/,
  },
  { programs: 'himalaya neomutt-auth oauth2l mutt_oauth2.py', verbs: /^(?:fetch|header|token)\b/ },
  { programs: 'berglas', verbs: /^(?:access|exec)\b/ },
  { programs: 'teller', verbs: /^(?:env|show|sh|export|yaml|run)\b/ },
  { programs: 'akeyless', verbs: /^(?:get-\S*secret\S*|get-dynamic\S*|get-ssh\S*|describe-item)\b/ },
  { programs: 'conjur', verbs: /^(?:variable (?:get|value)|authn)\b/ },
  { programs: 'credstash', verbs: /^(?:get|getall)\b/ },
  { programs: 'confidant summon', verbs: /^/ },
  { programs: 'aws-vault', verbs: /^(?:export|login)\b/ },
  {
    programs: 'aws-okta saml2aws aws-google-auth gimme-aws-creds aws-azure-login onelogin-aws-login',
    verbs: /^(?:env|script|exec|cred-process|list-roles|console)\b/,
  },
  { programs: 'granted assume', verbs: /^(?:credential-process|sso-tokens|export)\b|^-(?:-export|x)/ },
  {
    programs: 'kubelogin kubectl-oidc_login gke-gcloud-auth-plugin aws-iam-authenticator',
    verbs: /^(?:get-token|token|convert-kubeconfig)?/,
  },
  { programs: 'argocd', verbs: /^(?:account generate-token|admin initial-password)\b/ },
  { programs: 'snowsql', options: /--generate-jwt\b/ },
  { programs: 'git-crypt', verbs: /^(?:export-key|unlock)\b/ },
  { programs: 'git-secret', verbs: /^(?:reveal|cat)\b/ },
  { programs: 'transcrypt', verbs: /^/, options: /(?:^|\s)(?:-d|--display|-s|--show-raw)\b/ },
  { programs: 'blackbox_cat blackbox_postdeploy blackbox_decrypt_all_files blackbox_edit_start', verbs: /^/ },
  { programs: 'gpg gpg2', options: /(?:^|\s)(?:-\w*d|--decrypt)\b/, shown: true },
  { programs: 'gpg-preset-passphrase gpg-connect-agent', verbs: /^/, options: /GET_PASSPHRASE|--preset/i },
  {
    programs: 'openssl',
    verbs: /^(?:rsa|pkey|ec|dsa|pkcs12|pkcs8)\b/,
    options: /^(?!.*-(?:pubin|pubout|nokeys|check))(?=.*-in\b)/,
    unless: /(?:^|\s)-(?:pubin|pubout|modulus|check|nokeys)\b/,
  },
  { programs: 'keytool', verbs: /^/, options: /-importkeystore\b|-exportsecret/ },
  { programs: 'ec2-metadata ec2metadata cloud-metadata', verbs: /^/ },
  { programs: 'cloud-init', verbs: /^query\b/, unless: /(?:^|\s)(?:-l|--list-keys)\b/ },
  {
    programs: 'doctl',
    verbs: /^(?:auth token|kubernetes cluster kubeconfig show|databases connection|registry docker-config)\b/,
  },
  { programs: 'linode-cli', verbs: /^(?:profile token-create|lke kubeconfig-view|databases \S*credentials\S*)\b/ },
  {
    programs: 'hcloud scw',
    verbs: /^(?:context show|iam api-key (?:create|get)|secret version access|config (?:dump|get))\b/,
  },
  { programs: 'railway', verbs: /^(?:variables?|run (?:env|printenv)|connect)\b/, unless: /--set\b/ },
  { programs: 'netlify ntl', verbs: /^env:(?:list|get|clone)\b/ },
  { programs: 'supabase', verbs: /^status\b/, options: /(?:-o|--output)[= ]?(?:env|json|yaml|toml)/ },
  { programs: 'supabase', verbs: /^projects api-keys\b/ },
  { programs: 'wrangler', verbs: /^auth token\b/ },
  { programs: 'firebase', verbs: /^(?:login:ci|functions:secrets:access|functions:config:get|apps:sdkconfig)\b/ },
  { programs: 'eas expo', verbs: /^(?:env:(?:pull|get|list)|credentials)\b/ },
  { programs: 'amplify', verbs: /^env get\b/ },
  { programs: 'pulumi', options: /--show-secrets\b/ },
  { programs: 'pulumi', verbs: /^config get\b|^env open\b/ },
  {
    programs: 'terraform tofu terragrunt',
    verbs: /^output (?:\S+ )*\S*(?:password|secret|token|key|credential|kubeconfig|connection)\S*/i,
  },
  { programs: 'terraform tofu', verbs: /^state pull\b/ },
  { programs: 'consul', verbs: /^acl token (?:read|create|list)\b/ },
  { programs: 'nomad', verbs: /^(?:acl token (?:self|info|create)|var get)\b/ },
  { programs: 'rancher', verbs: /^(?:token|clusters kubeconfig)\b/ },
  { programs: 'minikube kind k3d', verbs: /^(?:get kubeconfig|kubeconfig (?:get|print))\b/ },
  { programs: 'ansible', options: /ansible_password|ansible_become_pass/ },
  {
    programs: 'docker podman nerdctl',
    verbs: /^(?:container |image )?inspect\b/,
    options: /Config\.Env|\.Env\b|json \.Config\b|json \.(?:\}|\s)/,
  },
  { programs: 'docker podman', verbs: /^secret inspect\b/, options: /--showsecret|--pretty/ },
  { programs: 'docker', verbs: /^context export\b/ },
  { programs: 'tailscale', verbs: /^(?:debug prefs|cert)\b/ },
  { programs: 'wg', verbs: /^(?:showconf|genkey|show \S+ (?:private-key|preshared-keys))\b/ },
  {
    programs: 'nmcli',
    verbs: /^(?:connection|con|c|device|dev|d) (?:show|wifi show-password|wifi)\b/,
    options: /(?:^|\s)(?:-s|--show-secrets)\b/,
  },
  { programs: 'netsh', verbs: /^wlan show profiles?\b/, options: /key=clear/ },
  { programs: 'crontab-ui hashcat john', verbs: /^/, options: /--show\b/ },
  { programs: 'circleci', verbs: /^(?:context show|setup)\b/ },
  { programs: 'stripe', verbs: /^config\b/, options: /--list\b/ },
  { programs: 'ngrok', verbs: /^(?:config check|api-keys)\b/ },
  { programs: 'huggingface-cli hf', verbs: /^auth (?:token|list)\b/ },
  { programs: 'gcloud', verbs: /^(?:auth describe|compute \S* get-credentials|sql connect)\b/ },
  { programs: 'cmdkey vaultcmd', verbs: /^/, options: /^/ },
  { programs: 'lpass', verbs: /^(?:show|export)\b/ },
  { programs: 'keepassxc-cli', verbs: /^(?:show|export|clip)\b/ },
  { programs: 'secret-tool', verbs: /^(?:lookup|search)\b/ },
  { programs: 'keyring', verbs: /^get\b/ },
  { programs: 'kwallet-query kwalletcli', options: /(?:^|\s)-r/ },
  { programs: 'vault', verbs: /^(?:kv get|read|token (?:create|lookup)|print token|unwrap)\b/ },
  {
    programs: 'kubectl oc',
    verbs: /^get (?:\S+,)?secrets?(?:[/,.]\S*)?(?:\s|$)/,
    options: /(?:^|\s)(?:-o|--output|--template)/,
    unless: /(?:-o|--output)[= ]?(?:name|wide)\b/,
  },
  {
    programs: 'kubectl oc',
    verbs: /^(?:create token|view-secret|modify-secret|oidc-login get-token|extract secret)\b/,
  },
  {
    programs: 'kubectl oc',
    verbs: /^describe secrets?\b/,
    options: /(?:^|\s)(?:-o|--output)/,
  },
  { programs: 'kubectl oc', verbs: /^get\b/, options: /(?:jsonpath|go-template|custom-columns)\S*\benv\b/ },
  {
    programs: 'oci',
    verbs: /^iam (?:auth-token|customer-secret-key|user api-key) (?:create|list)\b|^secrets secret-bundle get\b/,
  },
  { programs: 'ibmcloud', verbs: /^(?:iam (?:oauth-tokens|api-key-create)|secrets-manager secret)\b/ },
  { programs: 'aliyun', verbs: /^(?:kms GetSecretValue|sts AssumeRole|configure get)\b/ },
  { programs: 'python python3', verbs: /^keyring get\b/, options: /-m keyring\b/ },
  { programs: 'kubectl oc', verbs: /^get\b/, options: /serviceaccounts?\/\S+\/token|--raw\S*secrets/ },
  { programs: 'oc', verbs: /^(?:sa (?:get-token|create-kubeconfig)|serviceaccounts get-token)\b/ },
  { programs: 'kubectl oc', verbs: /^config view\b/, options: /--raw\b/ },
  { programs: 'oc', verbs: /^whoami\b/, options: /(?:^|\s)(?:-t|--show-token)\b/ },
  {
    programs: 'aws',
    verbs:
      /^(?:secretsmanager (?:get-secret-value|batch-get-secret-value|get-random-password)|sts (?:get-session-token|assume-role\S*|get-federation-token)|iam create-(?:access-key|login-profile|service-specific-credential)|configure (?:get \S*(?:secret|token|key)\S*|export-credentials)|ssm get-parameters?-by-path|kms decrypt|codeartifact get-authorization-token|lightsail download-default-key-pair|ec2 (?:create-key-pair|get-password-data)|sso get-role-credentials|sso-oidc create-token|ecr(?:-public)? get-authorization-token|eks get-token|rds generate-db-auth-token|redshift get-cluster-credentials\S*|cognito-identity get-credentials-for-identity|dsql generate-db-connect\S*|lambda get-function-configuration|transfer describe-user|appsync list-api-keys|apigateway get-api-keys?|grafana create-workspace-api-key|iot create-keys-and-certificate)\b/,
  },
  { programs: 'aws', verbs: /^ecr(?:-public)? get-login/, shown: true },
  { programs: 'aws', verbs: /^ssm get-parameters?\b/, options: /--with-decryption/ },
  {
    programs: 'gcloud',
    verbs:
      /^auth (?:application-default )?print-(?:access|identity)-token\b|^secrets versions access\b|^iam service-accounts keys create\b|^kms decrypt\b|^config config-helper\b|^sql users\b.*password/,
  },
  {
    programs: 'az',
    verbs:
      /^account get-access-token\b|^keyvault (?:secret|key) (?:show|download|backup)\b|^storage account keys list\b|^(?:acr|cosmosdb|redis|servicebus\b.*|eventhubs\b.*) .*(?:credential show|list-keys|keys list)\b|^ad (?:sp|app) (?:create-for-rbac|credential reset)\b|^webapp deployment list-publishing|^storage account show-connection-string\b|^(?:storage|functionapp|webapp|iot hub|signalr|search|cognitiveservices account|maps account|batch account|appconfig)\b.*(?:keys list|key list|list-keys|connection-string show|credential list|show-connection-string|generate-sas)\b|^aks get-credentials\b|^acr login\b.*--expose|^(?:webapp|functionapp) config (?:appsettings|connection-string) list\b/,
  },
  { programs: 'git', verbs: /^credential(?:-\w+)? (?:fill|get)\b/ },
  {
    programs:
      'docker-credential-osxkeychain docker-credential-pass docker-credential-secretservice docker-credential-desktop docker-credential-wincred git-credential-osxkeychain git-credential-store git-credential-manager',
    verbs: /^get\b/,
  },
  {
    programs: 'heroku',
    verbs: /^(?:config|config:get|auth:token|authorizations:create|pg:credentials(?::url)?)(?:\s|$)/,
  },
  { programs: 'fly flyctl', verbs: /^(?:auth token|tokens create)\b/ },
  { programs: 'doppler', verbs: /^secrets (?:download|get)\b|^secrets$/ },
  { programs: 'infisical', verbs: /^(?:export|secrets get|secrets)\b/ },
  { programs: 'chamber', verbs: /^(?:export|read|env|exec)\b/ },
  { programs: 'sops', options: /(?:^|\s)(?:-d|--decrypt)\b/ },
  { programs: 'sops', verbs: /^decrypt\b/ },
  { programs: 'age rage', options: /(?:^|\s)(?:-d|--decrypt)\b/ },
  { programs: 'ansible-vault', verbs: /^(?:view|decrypt)\b/ },
  { programs: 'vercel', verbs: /^env pull\b/ },
  { programs: 'az', verbs: /^acr login\b/, options: /--expose-token\b/ },
  { programs: 'sops', verbs: /^exec-(?:env|file)\b/ },
  { programs: 'git', verbs: /^config\b.*(?:extraheader|token|password|secret)/i, unless: /--unset/ },
  { programs: 'ssh-keygen', options: /(?:^|\s)-\w*y/, unless: /(?:^|\s)-\w*Y/ },
  { programs: 'rclone', verbs: /^config (?:show|dump|redacted|userinfo|reconnect)\b|^(?:reveal|obscure --reveal)\b/ },
  { programs: 's3cmd', options: /--dump-config\b/ },
  { programs: 'mc', verbs: /^(?:alias|config host) (?:list|ls|export)\b/ },
  { programs: 'mc', verbs: /^admin (?:user svcacct|policy|config get|accesskey)\b/ },
  { programs: 'gh glab', verbs: /^config get \S*(?:token|password)/ },
  { programs: 'glab', verbs: /^(?:token create|variable (?:get|export)|auth git-credential)\b/ },
  { programs: 'fly flyctl', verbs: /^tokens? (?:list|create|debug)\b/ },
  { programs: 'vercel', verbs: /^env ls\b/, options: /--decrypt\b/ },
  { programs: 'mysql_config_editor', verbs: /^print\b/ },
  { programs: 'my_print_defaults', options: /(?:^|\s)-s\b|--show/ },
  { programs: 'my_print_defaults', verbs: /^client\b/ },
  { programs: 'nmcli', options: /(?:^|\s)(?:-\w*s|--show-secrets)\b|psk\b/ },
  { programs: 'security', verbs: /^(?:export|dump-keychain|dump-trust-settings)\b/ },
  { programs: 'security', verbs: /^find-(?:generic|internet)-password\b/ },
  {
    programs:
      'docker-credential-desktop docker-credential-osxkeychain docker-credential-pass docker-credential-secretservice docker-credential-ecr-login docker-credential-gcloud docker-credential-gh',
    verbs: /^(?:get|list)\b/,
  },
  { programs: 'podman buildah skopeo', verbs: /^login\b/, options: /--get-login\b/ },
  { programs: 'databricks', verbs: /^(?:auth (?:token|env)|tokens (?:create|list)|secrets get-secret)\b/ },
  { programs: 'llm', verbs: /^keys get\b/ },
  { programs: 'jupyter', verbs: /^(?:server|notebook|lab) list\b/ },
  { programs: 'yt-dlp youtube-dl gallery-dl streamlink you-get', options: /--cookies-from-browser\b/ },
  {
    programs:
      'firefox_decrypt firefox_decrypt.py hack-browser-data chromepass browserpass cookiecutter-decrypt pypykatz secretsdump.py dploot donpapi chainbreaker',
    verbs: /^/,
  },
  {
    programs: 'aws',
    verbs:
      /^(?:cognito-idp (?:admin-)?initiate-auth|lightsail get-instance-access-details|redshift-serverless get-credentials|ds describe-\S*secret|connect get-federation-token|iot describe-\S*secret|workmail get-\S*password|opsworks describe-user-profiles|mq describe-user|gamelift get-compute-auth-token|emr get-cluster-session-credentials|lakeformation get-temporary\S*|s3control get-data-access|sagemaker create-presigned\S*|ssm get-access-token|ec2-instance-connect send-ssh\S*)\b/,
  },
  {
    programs: 'gcloud',
    verbs:
      /^(?:auth print-\S+|alpha\S* auth print\S*|iam service-accounts sign-\S+|services api-keys get-key-string|sql generate-login-token|compute reset-windows-password|compute os-login describe-profile)\b/,
  },
  {
    programs: 'az',
    verbs:
      /^(?:ad app credential (?:list|reset)|.* (?:list-(?:keys|connection-strings|admin-keys|secrets)|show-connection-string|regenerate-key\S*|list-credentials|get-credentials))\b/,
  },
  { programs: 'argocd', verbs: /^(?:account get-token|cluster get)\b/ },
  { programs: 'helm', verbs: /^get (?:values|all|manifest)\b/, options: /(?:^|\s)(?:-a|--all)\b/ },
  { programs: 'gopass pass', verbs: /^(?:show|otp|grep|-c)\b/ },
  { programs: 'bw rbw', verbs: /^(?:list|send|receive|code|get|export|unlock)\b/ },
  { programs: 'proton-pass keeper ksm dashlane tpass', verbs: /^(?:get|show|list|export|secret|exec|view|copy)\b/ },
  { programs: 'ssh-keygen', options: /(?:^|\s)-\w*[ep]\b.*id_/ },
  { programs: 'gpg gpg2', options: /--(?:export-secret\S*|list-packets|export-ssh-key --secret|show-session-key)/ },
  { programs: 'gpg-connect-agent', verbs: /\b(?:get_passphrase|export_key|keyinfo --list)\b/i },
  { programs: 'kwalletd5 kwallet-query kwalletcli seahorse-tool libsecret-tool', verbs: /^/, options: /(?:^|\s)-/ },
  {
    programs: 'dbus-send gdbus busctl qdbus qdbus6',
    options: /kwallet|readPassword|org\.freedesktop\.secrets|GetSecrets?\b/,
  },
  {
    programs: 'dbus-send gdbus busctl qdbus qdbus6',
    verbs: /kwalletd|readPassword|org\.freedesktop\.secrets|GetSecrets?\b/,
  },
  { programs: 'defaults', verbs: /^read\b.*(?:password|token|secret|credential)/i },
  { programs: 'stripe', verbs: /^(?:login --print|config --list|whoami --show)/ },
  { programs: 'twilio', verbs: /^(?:profiles list --show|api core keys create)/ },
  { programs: 'cf', verbs: /^(?:oauth-token|service-key|env)\b/ },
  { programs: 'ibmcloud', verbs: /^(?:iam (?:oauth-tokens|api-key\S*|access-token)|resource service-key\b)/ },
  { programs: 'oci', verbs: /^(?:session (?:export|authenticate --print)|raw-request)\b/ },
  { programs: 'turso', verbs: /^(?:auth token|db tokens create|config token)\b/ },
  { programs: 'neonctl', verbs: /^(?:connection-string|cs)\b/ },
  { programs: 'pscale', verbs: /^(?:password create|service-token create|auth token)\b/ },
  { programs: 'mimikatz lazagne hashdump gpp-decrypt', verbs: /^/ },
];

const BY_PROGRAM: ReadonlyMap<string, SecretReader[]> = READERS.reduce((index, reader) => {
  for (const program of reader.programs.split(' ')) index.set(program, [...(index.get(program) ?? []), reader]);
  return index;
}, new Map<string, SecretReader[]>());

function printsSecret(command: ShellCommand): boolean {
  const { name, args } = command;
  const words = parseSubcommand(name, args).words.slice(0, 8).join(' ').slice(0, 500);
  const options = args.filter((arg, index) => arg.startsWith('-') || args[index - 1]?.startsWith('-')).join(' ');
  return (BY_PROGRAM.get(name) ?? []).some(
    ({ verbs, options: wanted, unless, shown }) =>
      (verbs?.test(words) ?? true) &&
      (wanted?.test(options) ?? true) &&
      !unless?.test(options) &&
      (shown !== true || isShown(command)),
  );
}

/** Programs that read the content of an archive. */
const UNPACKERS = new Set(
  'tar bsdtar gtar unzip 7z 7za 7zz zcat gunzip gzip zgrep cpio python3 python bsdcat xz zstd'.split(' '),
);

const HISTORY_FILE =
  /(?:^|\/)\.(?:bash|zsh|python|psql|mysql|node_repl|sqlite|irb|rediscli|dbshell|mongo)_?(?:_history|sh_history|history|hst)$|fish_history$/;
const SECRET_PATTERN = /pass|token|secret|key|auth|bearer|cred|curl|export|sk-|ghp_|akia/i;

/** A search for keys in the history of a shell or of a client, or in the settings of one. */
function searchesHistory({ name, args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:[ef]?grep|rg|ag|ack|awk|gawk|sed)$/.test(name)) return false;
  const searched =
    args.some((arg) => HISTORY_FILE.test(arg)) ||
    fedBy.some((source) => source.args.some((arg) => HISTORY_FILE.test(arg)));
  const settings = fedBy.some(
    (source) => /^(?:git|npm|pnpm|yarn|pip3?|composer|bundle)$/.test(source.name) && source.args[0] === 'config',
  );
  return (
    (searched || settings) &&
    args.some(
      (arg) =>
        !HISTORY_FILE.test(arg) &&
        (settings ? /pass|token|secret|_auth|bearer|cred.*=|extraheader/i : SECRET_PATTERN).test(arg),
    )
  );
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
  { rule: SECRET_RULE, aboutInput: true, when: searchesHistory },
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
