import { readsSecrets } from '../files/guarded-paths.ts';
import { isSecretVariable, SECRET_RULE } from '../files/secrets.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import type { CommandRule } from './rule.ts';

/**
 * Commands that print or create a secret, by program. `verbs` is matched against the subcommand and its operands,
 * `options` against the options; if both are given, both must match.
 */
type SecretReader = { programs: string; verbs?: RegExp; options?: RegExp; unless?: RegExp };

const READERS: readonly SecretReader[] = [
  { programs: 'gh glab', verbs: /^auth token\b/ },
  { programs: 'gh', verbs: /^auth status\b/, options: /(?:^|\s)(?:-t|--show-token)\b/ },
  { programs: 'npm pnpm yarn', verbs: /^config (?:get|list|ls)\b.*(?:_auth|_password|authToken)/i },
  { programs: 'npm', verbs: /^token create\b/ },
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
  { programs: 'bw rbw', verbs: /^(?:get|export|list items|unlock)\b/, options: /^(?!.*--help)/ },
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
  { programs: 'kubectl oc', verbs: /^create token\b/ },
  { programs: 'kubectl oc', verbs: /^config view\b/, options: /--raw\b/ },
  { programs: 'oc', verbs: /^whoami\b/, options: /(?:^|\s)(?:-t|--show-token)\b/ },
  {
    programs: 'aws',
    verbs:
      /^(?:secretsmanager (?:get-secret-value|batch-get-secret-value|get-random-password)|sts (?:get-session-token|assume-role\S*|get-federation-token)|iam create-(?:access-key|login-profile|service-specific-credential)|configure (?:get \S*(?:secret|token|key)\S*|export-credentials)|ssm get-parameters?-by-path|kms decrypt|codeartifact get-authorization-token|lightsail download-default-key-pair|ec2 (?:create-key-pair|get-password-data))\b/,
  },
  { programs: 'aws', verbs: /^ssm get-parameters?\b/, options: /--with-decryption/ },
  {
    programs: 'gcloud',
    verbs:
      /^auth (?:application-default )?print-(?:access|identity)-token\b|^secrets versions access\b|^iam service-accounts keys create\b|^kms decrypt\b|^config config-helper\b|^sql users\b.*password/,
  },
  {
    programs: 'az',
    verbs:
      /^account get-access-token\b|^keyvault (?:secret|key) (?:show|download|backup)\b|^storage account keys list\b|^(?:acr|cosmosdb|redis|servicebus\b.*|eventhubs\b.*) .*(?:credential show|list-keys|keys list)\b|^ad (?:sp|app) (?:create-for-rbac|credential reset)\b|^webapp deployment list-publishing/,
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
  { programs: 'chamber', verbs: /^(?:export|read|env)\b/ },
  { programs: 'sops', options: /(?:^|\s)(?:-d|--decrypt)\b/ },
  { programs: 'sops', verbs: /^decrypt\b/ },
  { programs: 'age rage', options: /(?:^|\s)(?:-d|--decrypt)\b/ },
  { programs: 'ansible-vault', verbs: /^(?:view|decrypt)\b/ },
  { programs: 'vercel', verbs: /^env pull\b/ },
  { programs: 'ssh-keygen', options: /(?:^|\s)-\w*y/, unless: /(?:^|\s)-\w*Y/ },
  { programs: 'mimikatz lazagne hashdump gpp-decrypt', verbs: /^/ },
];

const BY_PROGRAM: ReadonlyMap<string, SecretReader[]> = READERS.reduce((index, reader) => {
  for (const program of reader.programs.split(' ')) index.set(program, [...(index.get(program) ?? []), reader]);
  return index;
}, new Map<string, SecretReader[]>());

function printsSecret({ name, args }: ShellCommand): boolean {
  const words = parseSubcommand(name, args).words.slice(0, 8).join(' ').slice(0, 500);
  const options = args.filter((arg, index) => arg.startsWith('-') || args[index - 1]?.startsWith('-')).join(' ');
  return (BY_PROGRAM.get(name) ?? []).some(
    ({ verbs, options: wanted, unless }) =>
      (verbs?.test(words) ?? true) && (wanted?.test(options) ?? true) && !unless?.test(options),
  );
}

/** Commands that reveal secrets to the model and to everyone who reads the session, or that delete them. */
export const SECRET_RULES: readonly CommandRule[] = [
  { rule: SECRET_RULE, when: (command, facts) => command.remote !== 'container' && readsSecrets(command, facts) },
  { rule: SECRET_RULE, everydayName: true, commands: [...BY_PROGRAM.keys()], when: printsSecret },
  {
    rule: SECRET_RULE,
    everydayName: true,
    commands: ['printenv'],
    when: ({ args }) => args.some(isSecretVariable),
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
  {
    rule: 'change credentials',
    everydayName: true,
    commands: ['gpg', 'gpg2', 'pass', 'gopass', 'op', 'bw', 'secret-tool', 'keyring', 'security'],
    when: ({ name, args }) => DELETES_SECRET.test(`${name} ${args.join(' ')}`),
  },
];

/** Commands that permanently delete a key or a password. */
const DELETES_SECRET =
  /^gpg2? .*--delete-secret|^(?:gopass|pass) (?:rm|remove|delete)\b|^op (?:item|vault|document) delete\b|^bw delete\b|^secret-tool clear\b|^keyring del\b|^security delete-/;
