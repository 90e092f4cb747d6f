import { secretVariablesIn } from '../files/secrets.ts';
import { splitGit } from '../shell/git-commands.ts';
import { optionValues, type ShellCommand } from '../shell/shell-command.ts';
import { hostOf, isPrivateHost } from '../files/hosts.ts';
import type { CommandRule } from './rule.ts';

const REDIRECT = 'send credentials to another host';

/**
 * Variables that make a client with credentials talk to another host, and the hosts to which the credentials belong.
 */
const BASE_ADDRESS: readonly { variable: RegExp; own: RegExp }[] = [
  {
    variable:
      /^(?:OPENAI|ANTHROPIC|CLAUDE|GEMINI|GOOGLE|MISTRAL|GROQ|COHERE|DEEPSEEK|OPENROUTER|XAI|TOGETHER|FIREWORKS|PERPLEXITY|AZURE_OPENAI|LITELLM|LLM|OLLAMA|REPLICATE|HF|HUGGINGFACE|HUGGING_FACE)\w*_(?:BASE_URL|API_BASE|BASE|ENDPOINT|API_URL|API_HOST|HOST|URL|PROXY)$/,
    own: /(?:^|\.)(?:openai\.com|openai\.azure\.com|anthropic\.com|googleapis\.com|mistral\.ai|groq\.com|cohere\.(?:ai|com)|deepseek\.com|openrouter\.ai|x\.ai|together\.(?:ai|xyz)|fireworks\.ai|perplexity\.ai|replicate\.com|huggingface\.co|hf-mirror\.com|azure\.com|amazonaws\.com|cloudflare\.com|vercel\.sh|helicone\.ai|portkey\.ai)$/,
  },
  {
    variable: /^AWS_ENDPOINT_URL(?:_\w+)?$/,
    own: /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|api\.aws|r2\.cloudflarestorage\.com|digitaloceanspaces\.com|backblazeb2\.com|wasabisys\.com)$/,
  },
  {
    variable: /^(?:GH_HOST|GITHUB_(?:HOST|API_URL|SERVER_URL)|GITLAB_(?:HOST|URI|URL)|GL_HOST)$/,
    own: /(?:^|\.)(?:github\.com|ghe\.com|gitlab\.com)$/,
  },
  {
    variable: /^(?:npm_config_registry|NPM_CONFIG_REGISTRY|YARN_(?:NPM_)?REGISTRY(?:_SERVER)?|BUN_CONFIG_REGISTRY)$/,
    own: /(?:^|\.)(?:npmjs\.(?:org|com)|yarnpkg\.com|npmmirror\.com|npm\.taobao\.org|pkg\.github\.com|pkg\.dev|jsr\.io|gitlab\.com|visualstudio\.com|amazonaws\.com|jfrog\.io|cloudsmith\.io)$/,
  },
  {
    variable:
      /^(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:DEFAULT_)?INDEX(?:_URL)?|TWINE_REPOSITORY_URL|POETRY_REPOSITORIES_\w+_URL)$/,
    own: /(?:^|\.)(?:pypi\.org|pythonhosted\.org|pytorch\.org|tsinghua\.edu\.cn|aliyun\.com|nvidia\.com|pkg\.dev|amazonaws\.com|visualstudio\.com|gitlab\.com|jfrog\.io|anaconda\.org)$/,
  },
  {
    variable: /^(?:CARGO_REGISTRIES_\w+_INDEX|GEM_HOST_KEY|RUBYGEMS_HOST|COMPOSER_REPO_PACKAGIST)$/,
    own: /(?:^|\.)(?:crates\.io|rubygems\.org|packagist\.org|github\.com)$/,
  },
  {
    variable:
      /^(?:VAULT_ADDR|CONSUL_HTTP_ADDR|NOMAD_ADDR|SENTRY_URL|STRIPE_API_BASE|SLACK_API_URL|TELEGRAM_API_URL|DISCORD_API_URL|CLOUDFLARE_API_BASE_URL|TF_CLI_CONFIG_FILE|HCLOUD_ENDPOINT|DIGITALOCEAN_API_URL|FLY_API_BASE_URL|HEROKU_HOST|VERCEL_API|SUPABASE_URL|DATABRICKS_HOST|ARGOCD_SERVER|SNYK_API|SONAR_HOST_URL|LINEAR_API_URL|NOTION_BASE_URL|TWILIO_API_URL|SENDGRID_HOST)$/,
    own: /(?:^|\.)(?:hashicorp\.cloud|sentry\.io|stripe\.com|slack\.com|telegram\.org|discord\.com|cloudflare\.com|hetzner\.cloud|digitalocean\.com|fly\.io|heroku\.com|vercel\.com|supabase\.co|databricks\.com|azuredatabricks\.net|snyk\.io|sonarcloud\.io|linear\.app|notion\.com|twilio\.com|sendgrid\.com)$/,
  },
  { variable: /^(?:DOCKER_HOST|CONTAINER_HOST|BUILDKIT_HOST)$/, own: /^$/ },
  // A proxy sees the host of every request, and its content if certificates are not checked.
  {
    variable: /^(?:HTTPS?_PROXY|ALL_PROXY|npm_config_(?:https_)?proxy|NPM_CONFIG_(?:HTTPS_)?PROXY)$/i,
    own: /(?:^|[.-])proxy[.-]/,
  },
];

/** `NAME=https://…` with a host to which the credentials of the program do not belong. */
function pointsElsewhere(assignment: string): boolean {
  const at = assignment.indexOf('=');
  const name = assignment.slice(0, at);
  const row = at < 1 ? undefined : BASE_ADDRESS.find(({ variable }) => variable.test(name));
  if (row === undefined) return false;
  const value = assignment.slice(at + 1).replace(/^["']|["']$/g, '');
  if (/^(?:unix|npipe|ssh|fd):/.test(value)) return false;
  const host = hostOf(value);
  return host !== '' && !isPrivateHost(host) && !row.own.test(host);
}

/** Variables that switch off the check of certificates, so that anyone in between reads the credentials. */
const UNCHECKED =
  /^(?:NODE_TLS_REJECT_UNAUTHORIZED=["']?0|GIT_SSL_NO_VERIFY=["']?(?:1|true)|PYTHONHTTPSVERIFY=["']?0|npm_config_strict_ssl=["']?false|NPM_CONFIG_STRICT_SSL=["']?false|AWS_CA_BUNDLE=["']?\/tmp|(?:SSL_CERT_FILE|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS)=["']?\/(?:tmp|dev\/shm)\/|VAULT_SKIP_VERIFY=["']?(?:1|true)|KUBERNETES_INSECURE)/i;

/** Options with the address of the server, by program, and the hosts that are usual. */
const ADDRESS_OPTIONS: Readonly<Record<string, { option: RegExp; own: RegExp }>> = {
  aws: { option: /^--endpoint-url=?(.*)$/, own: BASE_ADDRESS[1]?.own ?? /^$/ },
  s3cmd: { option: /^--host(?:-bucket)?=?(.*)$/, own: BASE_ADDRESS[1]?.own ?? /^$/ },
  gh: { option: /^--hostname=?(.*)$/, own: BASE_ADDRESS[2]?.own ?? /^$/ },
  glab: { option: /^--hostname=?(.*)$/, own: BASE_ADDRESS[2]?.own ?? /^$/ },
  ...Object.fromEntries(
    ['npm', 'pnpm', 'yarn', 'bun', 'npx', 'bunx'].map((name) => [
      name,
      { option: /^--(?:\S+:)?registry=?(.*)$/, own: BASE_ADDRESS[3]?.own ?? /^$/ },
    ]),
  ),
  ...Object.fromEntries(
    ['pip', 'pip3', 'uv', 'uvx', 'pipx'].map((name) => [
      name,
      {
        option: /^(?:-[if]|--(?:(?:extra-)?index-url|find-links|index|default-index)=?)(.*)$/,
        own: BASE_ADDRESS[4]?.own ?? /^$/,
      },
    ]),
  ),
  twine: { option: /^--repository-url=?(.*)$/, own: BASE_ADDRESS[4]?.own ?? /^$/ },
  kubectl: {
    option: /^(?:--server=?|-s)(.*)$/,
    own: /(?:^|\.)(?:amazonaws\.com|azmk8s\.io|gke\.goog|ondigitalocean\.com)$/,
  },
  oc: { option: /^(?:--server=?|-s)(.*)$/, own: /(?:^|\.)(?:openshiftapps\.com|openshift\.com)$/ },
  helm: { option: /^--kube-apiserver=?(.*)$/, own: /(?:^|\.)(?:amazonaws\.com|azmk8s\.io|gke\.goog)$/ },
  vault: { option: /^-{1,2}address=?(.*)$/, own: /(?:^|\.)hashicorp\.cloud$/ },
  openai: { option: /^(?:-b|--api-base=?)(.*)$/, own: BASE_ADDRESS[0]?.own ?? /^$/ },
  llm: { option: /^--(?:api-base|base-url)=?(.*)$/, own: BASE_ADDRESS[0]?.own ?? /^$/ },
  docker: { option: /^(?:-H|--host=?)(.*)$/, own: /^$/ },
  argocd: { option: /^--server=?(.*)$/, own: /^argocd\./ },
};

function optionPointsElsewhere({ name, args }: ShellCommand): boolean {
  const row = Object.hasOwn(ADDRESS_OPTIONS, name) ? ADDRESS_OPTIONS[name] : undefined;
  if (row === undefined) return false;
  return optionValues(args, row.option).some((value) => {
    if (/^(?:unix|npipe|ssh):/.test(value) || (name === 'docker' && !value.includes('://'))) return false;
    const host = hostOf(value);
    return host !== '' && !isPrivateHost(host) && !row.own.test(host);
  });
}

/** Settings that a program stores, with an address as their value. */
const STORED: readonly { programs: RegExp; setting: RegExp; own: RegExp }[] = [
  {
    programs: /^(?:npm|pnpm|yarn)$/,
    setting: /^config set (?:--\S+ )*(?:\S*:)?(?:registry|npmRegistryServer|(?:https?-)?proxy)[= ](\S+)/i,
    own: BASE_ADDRESS[3]?.own ?? /^$/,
  },
  {
    programs: /^pip3?$/,
    setting: /^config (?:--\S+ )*set \S*(?:index-url|proxy)[= ](\S+)/,
    own: BASE_ADDRESS[4]?.own ?? /^$/,
  },
  {
    programs: /^(?:kubectl|oc)$/,
    setting: /^config set-cluster .*--server[= ](\S+)/,
    own: ADDRESS_OPTIONS['kubectl']?.own ?? /^$/,
  },
  {
    programs: /^gcloud$/,
    setting: /^config set (?:api_endpoint_overrides\/\S+|proxy\/address) (\S+)/,
    own: /(?:^|\.)googleapis\.com$/,
  },
  { programs: /^aws$/, setting: /^configure set \S*endpoint_url (\S+)/, own: BASE_ADDRESS[1]?.own ?? /^$/ },
  {
    programs: /^(?:poetry|bundle|composer)$/,
    setting: /^config (?:\S+ )*(https?:\/\/\S+)/,
    own: /(?:^|\.)(?:pypi\.org|rubygems\.org|packagist\.org|github\.com|gitlab\.com)$/,
  },
];

function storesAddress({ name, args }: ShellCommand): boolean {
  const row = STORED.find(({ programs }) => programs.test(name));
  const host = row === undefined ? '' : hostOf(row.setting.exec(args.join(' '))?.[1] ?? '');
  return host !== '' && !isPrivateHost(host) && row?.own.test(host) !== true;
}

/** Requests with a key through a proxy, or to an address that the command line replaces. */
function requestsThroughProxy({ name, args, expands }: ShellCommand): boolean {
  if (!/^(?:curl|wget|http|https|xh|git)$/.test(name)) return false;
  if (name === 'git') {
    const { settings } = splitGit(args);
    return settings.some((setting) => {
      const proxy = /^https?(?:\..*)?\.proxy=(.+)$/i.exec(setting)?.[1];
      return proxy !== undefined && !isPrivateHost(hostOf(proxy));
    });
  }
  const others = optionValues(args, /^(?:-x|--(?:proxy|preproxy|socks5\S*|connect-to|resolve)=?)(.*)$/);
  const replaced = others.some((value) => {
    const host = hostOf(value.split(':').length > 2 && !value.includes('://') ? (value.split(':')[2] ?? '') : value);
    return host !== '' && !isPrivateHost(host);
  });
  return (
    replaced && [...expands.map((variable) => `$${variable}`), ...args].some((arg) => secretVariablesIn(arg).length > 0)
  );
}

/** Clients that are made to send their credentials to a host to which they do not belong. */
export const REDIRECT_RULES: readonly CommandRule[] = [
  {
    rule: REDIRECT,
    when: ({ name, args, variables }) => {
      const set =
        name === 'export' || name === 'env' || name === 'declare' || name === 'setx'
          ? [...variables, ...args]
          : variables;
      return set.some((one) => pointsElsewhere(one) || UNCHECKED.test(one));
    },
  },
  {
    rule: REDIRECT,
    when: (command) => !command.suspected && (optionPointsElsewhere(command) || storesAddress(command)),
  },
  { rule: REDIRECT, when: requestsThroughProxy },
];
