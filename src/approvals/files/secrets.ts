import { join } from 'node:path';
import { isWithin, type MachineFacts, type SecretPaths } from './machine-facts.ts';

const words = (text: string) => text.trim().split(/\s+/);

/** Files and folders below the home directory that contain only secrets. */
const IN_HOME: readonly string[] = [
  // Version control and package registries.
  ...words('.git-credentials .config/git/credentials .npmrc .pypirc .yarnrc.yml .config/gh/hosts.yml .config/hub'),
  ...words('.config/glab-cli .config/github-copilot .subversion/auth .cargo/credentials .cargo/credentials.toml'),
  ...words('.gem/credentials .bundle/config .composer/auth.json .config/composer/auth.json .m2/settings.xml'),
  ...words('.m2/settings-security.xml .gradle/gradle.properties .sbt/.credentials .ivy2/.credentials .hex/hex.config'),
  ...words('.config/pypoetry/auth.toml .nuget/NuGet/NuGet.Config .config/NuGet/NuGet.Config'),
  // Machines, databases and mail.
  ...words('.netrc _netrc .authinfo .authinfo.gpg .pgpass .my.cnf .mylogin.cnf .msmtprc .mbsyncrc .fetchmailrc .putty'),
  ...words('.offlineimaprc .vault_pass .ansible/vault_pass .config/filezilla .local/share/remmina .snowsql/config'),
  // What was typed into shells and clients often contains keys.
  ...words('.bash_history .zsh_history .sh_history .local/share/fish/fish_history .python_history .psql_history'),
  ...words(
    '.mysql_history .mariadb_history .sqlite_history .node_repl_history .irb_history .rediscli_history .dbshell',
  ),
  // Clouds and containers.
  ...words(
    '.aws/credentials .aws/sso .aws/cli/cache .docker/config.json .kube/config .config/gcloud .azure .oci .boto',
  ),
  ...words('.s3cfg .config/doctl .config/hcloud .config/scw .config/linode-cli .config/rclone/rclone.conf .fly'),
  ...words('.config/containers/auth.json .config/helm/registry .terraformrc .terraform.d/credentials.tfrc.json'),
  ...words('.config/heroku .config/netlify .config/stripe .config/ngrok .ngrok2 .cloudflared .wrangler .railway'),
  ...words('.config/.wrangler .local/share/com.vercel.cli .supabase .databrickscfg .step/secrets .minikube/profiles'),
  // Models and agents.
  ...words('.cache/huggingface/token .cache/huggingface/stored_tokens .huggingface .kaggle/kaggle.json .config/openai'),
  ...words('.claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .anthropic .openai'),
  ...words('.local/share/opencode/auth.json'),
  // Keys, password managers and wallets.
  ...words('.gnupg .password-store .vault-token .config/op .config/1Password .config/sops .config/age .age .lastpass'),
  ...words('.local/share/keyrings .local/share/kwalletd .pki/nssdb .keybase .lnd .bitcoin .ethereum .electrum .monero'),
  ...words('.config/solana Library/Keychains .local/share/pass .config/keepassxc .config/Bitwarden .modal.toml'),
  'Library/Application Support/Bitwarden',
  'Library/Application Support/1Password',
  'Bitwarden',
  // Browsers, mail programs and messengers.
  ...words('.mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge'),
  ...words('.config/vivaldi .config/opera .librewolf .zen snap/firefox/common/.mozilla Library/Cookies Library/Safari'),
  ...words('snap/chromium/common/chromium .var/app/org.mozilla.firefox .var/app/com.google.Chrome'),
  // The keys to the display of the user.
  ...words('.Xauthority .ICEauthority'),
  ...words('.config/Slack .config/discord .config/Signal .purple/accounts.xml'),
  ...words(
    '.config/BraveSoftware .config/google-chrome-beta .config/google-chrome-unstable .waterfox .floorp .config/Vivaldi',
  ),
  ...words(
    '.config/Element .config/Telegram .local/share/TelegramDesktop .config/teams .config/Microsoft .config/Skype',
  ),
  ...[
    'Google/Chrome',
    'Firefox',
    'BraveSoftware',
    'Microsoft Edge',
    'Arc',
    'Chromium',
    'Vivaldi',
    'Slack',
    'discord',
  ].map((name) => `Library/Application Support/${name}`),
  'Library/Messages',
  'Library/Mail',
];
/**
 * Names of files that hold credentials wherever a program keeps them below the home directory: databases of browsers,
 * key stores, and files that are named after what they contain.
 */
export const SECRET_NAME =
  /^(?:(?:login data|cookies|web data|local state|key[34]\.db|logins\.json|cookies\.sqlite|signons\.sqlite|cert9\.db|wallet\.dat|.*\.(?:keyring|kdbx|macaroon|keychain(?:-db)?|ppk|p12|pfx|jks|keystore|wallet)|\.?(?:credentials?|tokens?|secrets?|auth|oauth\w*|vault[_-]?pass(?:word)?|access[_-]tokens?|refresh[_-]tokens?|api[_-]?keys?|keys|passwords?|passwd|master\.key|service[_-]?account\w*|id\.json|hosts\.ya?ml|accounts?\.xml|config\.vdf)(?:[._-](?:json|ya?ml|toml|ini|conf|cfg|db|sqlite3?|txt|xml|enc|key|cache|dat|rc|properties|tdb))?|(?:[\w.-]+[._-])(?:credentials?|tokens?|secrets?|api[_-]?keys?)(?:\.(?:json|ya?ml|toml|ini|conf|db|txt))?|\.(?:sgptrc|cdsapirc|sentryclirc|condarc-token|pgpass|my\.cnf|netrc|s3cfg|boto|dockercfg|databrickscfg|env)))$/i;
/** Databases of password managers and wallets, wherever the user keeps them. */
const PASSWORD_STORE =
  /\/(?:[^/]+\.(?:kdbx?|1pux|1pif|agilekeychain|opvault|psafe3|enpassdb|bwdb)|wallet\.dat|(?:1password|bitwarden|lastpass|chrome|dashlane)[\w -]*(?:export|passwords)[\w -]*\.(?:csv|json))$/i;
/** Words that say what a hidden file contains, as parts of its name, and extensions of source code. */
const SECRET_PART =
  /(?:^|[._-])(?:(?:smb|cifs|db|git|aws)?credentials?|secrets?|passw(?:or)?ds?|passwd|passphrases?|tokens?|cookies|\w*private[_-]?keys?|[\w-]*history)(?:[._-](?!gitignore)|$)/i;
const SOURCE_CODE =
  /\.(?:[cm]?[jt]sx?|lua|vim|py|go|rs|rb|php|java|kt|c|h|cpp|s?css|html?|md|svg|png|el|sh|zsh|fish|snippets)$/i;
/** Documents in which people write down passwords, in the home directory or in a folder of documents. */
const WRITTEN_DOWN =
  /^\/(?:(?:Documents|Desktop|Downloads|Notes|Private|Personal|Dropbox|OneDrive|Nextcloud|Backups?)\/(?:[^/]+\/)*)?[^/.]*(?:passw(?:or)?ds?|passwd|passphrases?|seed[ _-]?phrase|mnemonic|recovery[ _-]?(?:codes?|keys?|phrase)|backup[ _-]?codes?|(?:api|private|secret|access|ssh)[ _-]?keys?|credentials?|secrets?|tokens?|logins?|2fa[ _-]?codes?|pins?)[^/.]*(?:\.(?:txt|md|csv|tsv|xlsx?|ods|docx?|odt|rtf|pdf|json|ya?ml|toml|ini|zip|7z|org|numbers|pages|key))?$/i;
/** Private keys wherever they are below the home directory, outside the project. Certificates are public. */
const KEY_FILE =
  /\/(?![^/]*(?:cert|chain|\bca\b|public|\bpub\b))[^/]+\.(?:pem|p8|p12|pfx|ppk|jks|keystore|jceks|bcfks|ovpn)$/i;
/** The same on disks that are mounted. */
const KEY_ON_DISK = /^\/(?:Volumes|mnt|media|run\/media)\//;
/** The ends of the names of copies and of compressed files. */
const COPY_SUFFIX =
  /(?<=[^/])(?:\.(?:bak|backup|old|orig|save|copy|gz|xz|zst|bz2|\d{1,2})|~|[_-](?:bak|backup|old|copy))+(?=\/|$)/g;
/** Hidden folders of programs with a folder that is named after what it contains. */
const SECRET_FOLDER =
  /^\/\.[^/]+\/(?:[^/]+\/)*(?:credentials|secrets|tokens|keyrings?|wallets?|keystores?|oauth)\/[^/]/i;
/** Folders below the home directory in which programs keep their settings and data. */
const HIDDEN_FOLDER = /\/(?:\.[\w-][^/]*|Library|AppData|snap)\//;
/** Parts of tool chains and caches of packages, where these names belong to source code. */
const NOT_SECRET =
  /\/(?:node_modules|site-packages|\.cargo\/registry|\.rustup|\.npm\/_cacache|\.cache\/(?!huggingface)|\.pyenv|\.nvm|\.rbenv|\.asdf|\.gradle\/caches|\.m2\/repository|go\/pkg|\.vscode\/extensions|\.cursor\/extensions|\.git|\.github|\.vim|\.oh-my-zsh|\.local\/lib)\//;
/** Settings that usually contain a key, below the home directory. */
const KEY_SETTINGS = words(
  [
    '.pulumi/credentials.json .mc/config.json .minio/config.json .config/argocd/config .circleci/cli.yml .ionic/config.json',
    '.netlify .bluemix/config.json .expo/state.json .cursor/mcp.json .continue/config.json .config/configstore .config/wandb',
    '.config/zed/settings.json .config/Code/User/globalStorage .config/Cursor/User/globalStorage .jupyter .config/msmtp',
    '.config/neomutt .config/mutt .config/aerc/accounts.conf .config/himalaya .config/circleci .config/exercism .config/todoist',
    '.config/spotify-tui .config/pip/pip.conf .pip/pip.conf .config/anthropic .config/fabric .config/io.datasette.llm',
    '.local/share/containers/auth.json .config/shell_gpt .config/sentry .jenkins/secrets .config/weechat .irssi .config/hexchat',
    '.config/vercel .config/turso .config/neonctl .config/planetscale .config/railway .config/fly .config/flyctl .config/atlascli',
    '.config/scaleway .config/upctl.yaml .config/exoscale .config/civo .civo.json .vultr-cli.yaml .linode-cli .config/tofu',
    '.config/wireguard .config/openvpn .config/remmina .config/mcporter .mcp-auth  .config/goose .local/share/goose .config/Claude .aider',
    '.config/aichat .config/mods .config/llm .config/cody .codeium .tabnine .sourcegraph .config/raycast .config/linear .config/jira',
    '.config/.jira .jira.d .config/asana .config/gist .gist .config/hub.yml .config/tea .config/bitbucket .config/sourcehut',
    '.config/borg .config/restic .config/duplicacy .config/syncthing .config/nextcloud .config/dropbox .dropbox .megaCmd',
    '.config/ledger .ledger-live .config/Exodus .exodus .config/atomic .metamask .config/phantom .foundry/keystores .brownie/accounts',
    '.config/beekeeper-studio .config/Postman .config/Insomnia .config/mongodb-compass .local/share/DBeaverData .jfrog .sonar',
    '.snowflake .tsh .android/adbkey .weechat .config/hex .dart-tool .config/dart .local/share/atuin .config/fish/fish_variables',
    '.appstoreconnect .lynx_cookies .config/dbeaver .config/TablePlus .config/DataGrip .config/robo3t .config/sequel-ace .redis-insight',
    '.Renviron .dbt/profiles.yml .aider.conf.yml .travis/config.yml .twilio-cli .fastlane/spaceship .config/hub .config/aider',
    '.erlang.cookie .config/pulse/cookie .pulse-cookie .esd_auth .local/share/jupyter/runtime .curlrc .config/curlrc .wgetrc .viminfo',
    '.local/share/nvim/shada .local/state/nvim/shada .vscode/mcp.json .config/Code/User/mcp.json .gemini/settings.json .codex/config.toml',
    '.openclaw .clawdbot .moltbot .config/opencode .qwen/settings.json .factory .sparrow .wasabi .config/Ledger .config/monero-project',
    '.bitmonero .local/share/vaultwarden .config/lens .lens .k9s .config/rundeck .config/gcalcli .config/khal .config/vdirsyncer .config/spotify .config/tidal',
  ].join(' '),
);
/** Variables that move a file or folder of `IN_HOME` to another path. */
const MOVED_BY: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: '.config',
  XDG_DATA_HOME: '.local/share',
  XDG_CACHE_HOME: '.cache',
  GNUPGHOME: '.gnupg',
  AWS_SHARED_CREDENTIALS_FILE: '.aws/credentials',
  KUBECONFIG: '.kube/config',
  DOCKER_CONFIG: '.docker',
  AZURE_CONFIG_DIR: '.azure',
  CLOUDSDK_CONFIG: '.config/gcloud',
  GH_CONFIG_DIR: '.config/gh',
  CARGO_HOME: '.cargo',
  NETRC: '.netrc',
  PGPASSFILE: '.pgpass',
  NPM_CONFIG_USERCONFIG: '.npmrc',
  PASSWORD_STORE_DIR: '.password-store',
  HF_HOME: '.cache/huggingface',
};
/** Where these variables point to if they are not set. */
export function usualLocations(home: string): [string, string][] {
  return Object.entries(MOVED_BY).map(([variable, path]) => [variable, join(home, path)]);
}

/** A variable that holds the path of a file with a secret, by its name. */
export const SECRET_FILE_VARIABLE =
  /^\$\{?[A-Z\d_]*(?:TOKEN|CREDENTIALS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PRIVATE_KEY|API_?KEY|SSH_KEY|KEY)_(?:FILE|PATH)\}?$/;

/** Files of the system that contain only secrets. */
const IN_SYSTEM = words(
  '/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/krb5.keytab /etc/ssl/private /etc/kubernetes /etc/rancher /etc/wireguard',
);
/** Other variables that name files with credentials, separated by colons. */
const LOCATION_VARIABLES = ['GOOGLE_APPLICATION_CREDENTIALS', 'KUBECONFIG', 'XAUTHORITY'];
const OWN =
  '.env auth.json mcp-tokens pairing webhook_subscriptions.json api_server.key api_keys.json config.yaml state.db hermes.db sessions logs profiles'.split(
    ' ',
  );
/** Folders with secrets that must not be read recursively. */
const FOLDERS = '.ssh .aws .gnupg .kube .docker .azure .config/gh .config/gcloud'.split(' ');
/** File names in the home directory of Hermes, including copies that editors leave. */
const OWN_NAME =
  /^(?:\.env(?:[.~_-].*)?|auth\.json.*|mcp-tokens|pairing|webhook_subscriptions\.json.*|api_server\.key.*|api_keys\.json.*)(?:\/|$)/;
/** What Hermes stores about its settings and its conversations. Skills, caches and memories may be read. */
const OWN_STATE = /^(?:config\.ya?ml[^/]*|(?:state|hermes)\.db[^/]*|sessions|logs|profiles)(?:\/|$)/;
/** The home directory of Hermes below the home directory of any user. */
export const ANY_HERMES_HOME = /^\/(?:root|(?:home|Users)\/[^/]+)\/\.hermes(?=\/|$)/;
const PROFILE = /^profiles\/[^/]+\//;
const PRIVATE_KEY =
  /\/\.ssh\/(?!config\b|known_hosts|authorized_keys|environment$|rc$|.*\.pub$)[^/]+$|\/ssh_host_\w+_key$/;
/** Names that a pattern in `.ssh` is matched against. */
const KEY_NAMES = words('id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_sk identity key deploy github');
/** Files of the system that a pattern is matched against. */
const SYSTEM_EXAMPLES = words('/etc/shadow /etc/gshadow /etc/sudoers /proc/1/environ /etc/ssh/ssh_host_rsa_key');
const OF_PROCESS =
  /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|kcore)$|^\/proc\/kcore$|^\/proc\/(?!self\/|thread-self\/)[^/]+\/(?:task\/[^/]+\/)?fd\/\d+$/;
/** Secrets that containers and cluster workloads get as files. */
export const OF_WORKLOAD =
  /^\/(?:(?:var\/)?run\/|etc\/|mnt\/)?secrets(?:-store)?\/.|\/(?:initial_root_password|initialAdminPassword|admin-password|\.gitlab_shell_secret|master\.key)$/;
const OF_SYSTEM =
  /^\/etc\/(?:g?shadow-?|sudoers(?:\.d\/(?!README$)[^/]+)?|master\.passwd|krb5\.keytab)$|^\/dev\/(?:mem|kmem|port)$|^\/etc\/(?:NetworkManager\/system-connections|wireguard|wpa_supplicant|openvpn|ssl\/private|ppp\/(?:chap|pap)-secrets|letsencrypt(?:$|\/(?:live|archive|keys|accounts))|kubernetes\/(?:admin\.conf|pki)|rancher|swanctl\/private|ipsec\.secrets|cloudflared\/[^/]+\.(?:json|pem)|mysql\/debian\.cnf|vault\.d|docker\/key\.json|samba\/.*\.tdb)(?:\/|$)|^\/var\/lib\/(?:jenkins\/(?:secrets|credentials\.xml)|NetworkManager\/secret_key|kubelet\/pki|rancher|sss\/secrets|iwd|private|samba\/private|docker\/swarm)(?:\/|$)|^\/run\/user\/[^/]+\/(?:keyring|gnupg|podman|containers\/auth\.json)|^\/(?:private\/)?var\/db\/(?:dslocal|krb5kdc)|^\/Library\/Keychains|^\/(?:var\/)?tmp\/krb5cc_/;
/** Private keys of services; those of package repositories are public. */
const OF_SERVICE =
  /^\/(?:etc|opt|srv|var)\/(?!.*(?:apt|rpm|keyrings)\/).*(?:\/private\/.+|priv[^/]*\.(?:pem|der)|\.key)$/;
/** Other files of services that are named after what they contain, and configuration with passwords. */
const NAMED_IN_SYSTEM =
  /^\/(?:etc|opt|srv|var)\/(?!pam\.d|apt|ssl\/certs)(?:[^/]+\/)*(?:[\w.-]*(?:secrets?|credentials?|passwords?|\btokens?)[\w-]*(?:\.(?:json|ya?ml|ini|conf|cnf|toml|xml|properties|txt|db))?|wp-config\.php|grafana\.ini|tailscaled\.state|master\.key|database\.yml)$/i;
/** Folders of the system that are named after what they contain, and files in which services keep passwords. */
const IN_SERVICE =
  /^\/(?:etc|opt|srv|var|mnt|data|usr\/local\/etc)\/(?:[^/]+\/)*(?:(?:credentials?|credstore(?:\.encrypted)?|creds|secrets|passwords)\/.|(?:[\w-]+[._-])?creds(?:\.\w+)?$|(?:sasl_passwd|passwd\.client|ddclient\.conf|e?s?smtp\.conf|msmtprc|zabbix_\w+\.conf|ceph\.[\w.-]+\.keyring|(?:sip|pjsip|manager)\.conf|cupsd?-creds|pgpass|mosquitto\.passwd|vsftpd_login|redis-auth|tokens?\.cfg|shadow\.cfg)$)|^\/etc\/(?:pve\/priv|dovecot\/users|freeradius(?:\/[^/]+)*\/(?:clients\.conf|users|authorize)|raddb|k0s|ceph\/.*keyring|ipa\/|krb5kdc)(?:\/|$)|^\/var\/lib\/(?:k0s\/pki|etcd|ceph\/.*keyring|krb5kdc)(?:\/|$)|\/(?:vaultwarden|bitwarden(?:_rs)?|bwdata|vw[_-]?data|passbolt|psono)(?:[_-]\w+)?\/(?:[^/]+\/)*(?:config\.json|db\.sqlite3?\S*|rsa_key\S*|[\w.-]+\.env|_?data)$|^\/run\/user\/[^/]+\/gdm\/Xauthority$|^\/var\/(?:run|lib)\/(?:gdm3?|lightdm|sddm)\/.*(?:Xauthority|xauth\w*)$/i;
/** Files under /dev that can be read like ordinary files. */
const PLAIN_DEVICE = /^\/dev\/(?:null|shm\/.*|fd\/\d+)$/;
export const SECRET_RULE = 'read credentials';
export const ENV_RULE = 'overwrite or remove a project .env file';
/** Environment files of a project; templates contain no secrets. */
const ENV_FILE = /\/\.env(?:\.(?!example|sample|template|dist|defaults)[\w.-]+|[*?]+)?$/;
const DEVICE_RULE = 'read a device';
/** Words that mark an environment variable as a secret when they are a whole part of its name. */
const SECRET_WORD =
  /(?:^|_)(?:API_?KEY|APIKEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|PASSCODE|CREDENTIALS?|CREDS|SECRETS|JWT|BEARER|PAT|PRIVATE_KEY|ACCESS_KEY|AUTH)(?:_(?:ID|B64|BASE64|BASE|V?\d+))?$/;
/** Variables whose value is an address that usually contains a password, and other common names. */
const SECRET_ADDRESS =
  /(?:^|_)(?:(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MONGO(?:DB)?|REDIS|MYSQL|AMQP|RABBITMQ|CLOUDAMQP|WEBHOOK)_UR[IL]|CONNECTION_STRING|MYSQL_PWD|DB_PWD|DB_PW|COOKIE)$/;
/** Exceptions: names that match but do not hold a secret. */
const NO_SECRET =
  /(?:PUBLIC|KEY_ID|SSH_AUTH|PRIMARY|FOREIGN|SORT|CACHE|PARTITION|PUBLISHABLE|NEXT_PUBLIC|MAX|NUM)_|^(?:KEY|PASS|AUTH)$/;

/** All secret paths below each form of the home directories, and where environment variables move them. */
export function findSecretPaths(
  homes: readonly string[],
  hermesHomes: readonly string[],
  variables: ReadonlyMap<string, string>,
): SecretPaths {
  const below = (folders: readonly string[], names: readonly string[]) =>
    folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const moved = Object.entries(MOVED_BY).flatMap(([variable, path]) => {
    const to = variables.get(variable);
    return to === undefined
      ? []
      : IN_HOME.filter((one) => isWithin(one, path)).map((one) => to + one.slice(path.length));
  });
  // On a Mac, most programs keep in `Library/Application Support` what they keep in `.config` elsewhere.
  const onMac = [...IN_HOME, ...KEY_SETTINGS]
    .filter((one) => one.startsWith('.config/'))
    .map((one) => one.replace('.config', 'Library/Application Support'));
  return {
    own: below(hermesHomes, OWN),
    inHome: [...below(homes, IN_HOME), ...below(homes, KEY_SETTINGS), ...below(homes, onMac), ...moved],
    folders: below(homes, FOLDERS),
    examples: [...below(homes, below(['.ssh'], KEY_NAMES)), ...SYSTEM_EXAMPLES],
  };
}

/** All files and folders with credentials, for environments that hide them. */
export function credentialLocations(
  homes: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): string[] {
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) if (value?.startsWith('/')) given.set(name, value);
  const { inHome, folders } = findSecretPaths(homes, [], given);
  const named = LOCATION_VARIABLES.flatMap((name) => given.get(name)?.split(':') ?? []);
  return [...new Set([...inHome, ...folders, ...named, ...IN_SYSTEM])];
}

/** Whether reading an absolute path needs approval or is blocked. */
export function judgeSecret(path: string, facts: MachineFacts): { verdict: 'ask' | 'block'; rule: string } | undefined {
  if (isOwnSecret(path, facts) || PRIVATE_KEY.test(path)) return { verdict: 'block', rule: SECRET_RULE };
  if (OF_PROCESS.test(path) || OF_SYSTEM.test(path)) return { verdict: 'block', rule: SECRET_RULE };
  if (path.startsWith('/dev/') && !PLAIN_DEVICE.test(path)) return { verdict: 'block', rule: DEVICE_RULE };
  if (ownNames(path, facts).some((name) => OWN_STATE.test(name))) return { verdict: 'ask', rule: SECRET_RULE };
  const inHome = facts.secretPaths.inHome.some((place) => isWithin(path, place));
  const original = path.replace(COPY_SUFFIX, '');
  if (original !== path && judgeSecret(original, facts)?.rule === SECRET_RULE)
    return { verdict: 'ask', rule: SECRET_RULE };
  if (
    PASSWORD_STORE.test(path) ||
    (KEY_ON_DISK.test(path) && KEY_FILE.test(path) && !isWithin(path, facts.workingDirectory))
  )
    return { verdict: 'ask', rule: SECRET_RULE };
  const inSystem = (NAMED_IN_SYSTEM.test(path) || IN_SERVICE.test(path)) && !isWithin(path, facts.workingDirectory);
  if (inSystem || inHome || OF_WORKLOAD.test(path) || OF_SERVICE.test(path) || isNamedSecret(path, facts))
    return { verdict: 'ask', rule: SECRET_RULE };
  return undefined;
}

/** A file below the home directory that is named like a store of credentials, in a folder of settings or data. */
function isNamedSecret(path: string, { homes, hermesHomes, workingDirectory }: MachineFacts): boolean {
  const home = homes.find((one) => isWithin(path, one));
  if (home === undefined || home === '/' || hermesHomes.some((one) => isWithin(path, one))) return false;
  const inProject = workingDirectory !== home && isWithin(path, workingDirectory);
  const below = path.slice(home.length);
  if (inProject || NOT_SECRET.test(below)) return false;
  if (WRITTEN_DOWN.test(below) || KEY_FILE.test(below)) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isNamed = SECRET_NAME.test(name) || (SECRET_PART.test(name) && !SOURCE_CODE.test(name));
  if (!isNamed && !SECRET_FOLDER.test(below)) return false;
  const hidden = HIDDEN_FOLDER.test(below) || /^\/\.[^/]+$/.test(below);
  return hidden;
}

/** The credentials in a home directory of Hermes or in one of its profiles. */
function isOwnSecret(path: string, facts: MachineFacts): boolean {
  return ownNames(path, facts).some((name) => OWN_NAME.test(name));
}

/** The path inside each home directory of Hermes that contains it, without the folder of a profile. */
function ownNames(path: string, { hermesHomes }: MachineFacts): string[] {
  const other = ANY_HERMES_HOME.exec(path)?.[0];
  const homes = other === undefined || hermesHomes.includes(other) ? hermesHomes : [...hermesHomes, other];
  return homes.filter((home) => isWithin(path, home)).map((home) => path.slice(home.length + 1).replace(PROFILE, ''));
}

export function isEnvFile(path: string): boolean {
  return ENV_FILE.test(path);
}

/** Whether the name of an environment variable suggests that it holds a secret. */
export function isSecretVariable(name: string): boolean {
  return SECRET_WORD.test(name) && !NO_SECRET.test(name);
}

/** Whether printing a variable of this name may show a secret. */
export function mayShowSecret(name: string): boolean {
  return isSecretVariable(name) || SECRET_ADDRESS.test(name);
}

/** Names of the secret variables that a text expands. Expansions that only test for presence do not count. */
export function secretVariablesIn(text: string): string[] {
  return [...text.matchAll(/\$\{?([A-Z_][A-Z\d_]*)(?![A-Za-z\d_])(?!:?\+)/g)]
    .map((found) => found[1] ?? '')
    .filter(isSecretVariable);
}
