import type { ShellCommand } from '../shell/shell-command.ts';
import { hostOf, isPrivateHost } from './hosts.ts';
import type { CommandRule } from './rule.ts';

/** Registries and hosts from which packages are usually installed. */
export const USUAL_SOURCE =
  /(?:^|\.)(?:github\.com|githubusercontent\.com|github\.io|gitlab\.com|bitbucket\.org|codeberg\.org|sr\.ht|pypi\.org|pythonhosted\.org|pytorch\.org|nvidia\.com|npmjs\.(?:org|com)|yarnpkg\.com|deno\.land|jsr\.io|esm\.sh|unpkg\.com|jsdelivr\.net|crates\.io|rubygems\.org|golang\.org|go\.dev|gopkg\.in|k8s\.io|helm\.sh|helm\.com|bitnami\.com|jetstack\.io|cert-manager\.io|prometheus\.io|grafana\.com|hashicorp\.com|istio\.io|tigera\.io|cncf\.io|quay\.io|googleapis\.com|amazonaws\.com|microsoft\.com|visualstudio\.com|azure\.com|apache\.org|anaconda\.(?:org|com)|conda\.io|nodejs\.org|python\.org|rust-lang\.org|debian\.org|ubuntu\.com|archlinux\.org|nixos\.org|huggingface\.co|kernel\.org|gnu\.org|sourceforge\.net|elastic\.co|docker\.com|uber\.org|honnef\.co|mvdan\.cc|modernc\.org|sigs\.k8s\.io)$/;

const INSTALLS: Readonly<Record<string, RegExp>> = {
  pip: /^(?:install|download|wheel)\b/,
  pip3: /^(?:install|download|wheel)\b/,
  uv: /^(?:pip install|add|tool (?:install|run))\b/,
  pipx: /^(?:install|run)\b/,
  npm: /^(?:i|install|add|exec|x)\b/,
  pnpm: /^(?:i|install|add|dlx)\b/,
  yarn: /^(?:add|global add|dlx)\b/,
  bun: /^(?:add|i|install|x)\b/,
  cargo: /^(?:install|binstall)\b/,
  gem: /^install\b/,
  brew: /^(?:install|tap)\b/,
  kubectl: /^(?:-\S+ \S+ )*(?:apply|create|replace)\b/,
  oc: /^(?:apply|create|replace)\b/,
  helm: /^(?:install|upgrade)\b/,
  'ansible-playbook': /^/,
  go: /^(?:run|install)\b/,
  nix: /^(?:run|shell|develop|build|profile install)\b/,
  flatpak: /^install\b/,
  code: /^--install-extension\b/,
  docker: /^(?:build|import|compose -f)\b/,
  terraform: /^init\b/,
  conan: /^install\b/,
};
/** Options whose value is the address of a registry, which other rules judge. */
const REGISTRY_OPTION =
  /^(?:-i|-f|--(?:(?:extra-)?index-url|registry|find-links|repo|proxy|index|default-index|username|password))$/;

/** The host from which an argument installs, also for `git+https://…` and `host/module@version`. */
function sourceHost(name: string, arg: string): string {
  const address = /(?:^|[=@ ])(?:git\+)?(?:https?|ssh|git):\/\/(\S+)$/.exec(arg)?.[1];
  if (address !== undefined) return hostOf(address);
  if (name === 'go') return /^([\w-]+(?:\.[\w-]+)+)\/\S+@\S+$/.exec(arg)?.[1] ?? '';
  return '';
}

/** Packages, manifests and playbooks from hosts that are no usual registry. */
function installsForeign({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || !Object.hasOwn(INSTALLS, name) || INSTALLS[name]?.test(args.join(' ')) !== true) return false;
  if (name === 'nix' && args.some((arg) => /^(?:github|gitlab|sourcehut):(?!NixOS\/)/i.test(arg))) return true;
  return args.some((arg, index) => {
    if (REGISTRY_OPTION.test(args[index - 1] ?? '') && name !== 'kubectl' && name !== 'oc')
      return name === 'gem' && arg.startsWith('http:');
    if (/^--(?:(?:extra-)?index-url|registry|find-links|repo|proxy|index|default-index)=/.test(arg)) return false;
    const host = sourceHost(name, arg);
    return host !== '' && !isPrivateHost(host) && !USUAL_SOURCE.test(host);
  });
}

/** `curl https://… | kubectl apply -f -`. */
function appliesFetched({ args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !args.includes('-')) return false;
  return fedBy.some(
    (source) =>
      /^(?:curl|wget)$/.test(source.name) &&
      source.args.some((arg) => {
        const host = /:\/\//.test(arg) ? hostOf(arg) : '';
        return host !== '' && !isPrivateHost(host) && !USUAL_SOURCE.test(host);
      }),
  );
}

export const FETCHED_CODE_RULES: readonly CommandRule[] = [
  {
    rule: 'run downloaded code',
    commands: ['kubectl', 'oc', 'docker', 'docker-compose', 'podman', 'nomad', 'psql', 'crontab'],
    byArguments: true,
    aboutInput: true,
    when: appliesFetched,
  },
  { rule: 'run downloaded code', commands: Object.keys(INSTALLS), byArguments: true, when: installsForeign },
  {
    rule: 'run downloaded code',
    commands: ['gem'],
    byArguments: true,
    when: ({ args }) =>
      args[0] === 'install' &&
      args.some(
        (arg, index) =>
          /^(?:-s|--source|--clear-sources)$/.test(args[index - 1] ?? '') &&
          !/rubygems\.org/.test(arg) &&
          !isPrivateHost(hostOf(arg)),
      ),
  },
];
