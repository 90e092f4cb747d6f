/** Environment variables that decide on which system later commands of a line work. */
const VARIABLE =
  /^(?:(?:RAILS|RACK|MIX|APP|DJANGO|FLASK|NODE)_ENV|ENVIRONMENT|ENV|STAGE|(?:DOCKER|CONTAINER)_(?:HOST|CONTEXT)|AWS_(?:DEFAULT_)?PROFILE|CLOUDSDK_CORE_PROJECT|KUBE_?CONTEXT|TF_WORKSPACE|HEROKU_APP)=/;

/** Commands that choose this system for all later ones, and the variable that would do the same. */
const CHOOSING: readonly (readonly [command: RegExp, variable: string])[] = [
  [/^(?:docker|podman|nerdctl) context use (\S+)/, 'DOCKER_CONTEXT'],
  [/^podman system connection default (\S+)/, 'CONTAINER_HOST'],
  [/^(?:kubectl|oc) config (?:use-context|use|set current-context) (\S+)/, 'KUBE_CONTEXT'],
  [/^(?:kubectl|oc) config set-context .*--(?:namespace|cluster)[= ](\S+)/, 'KUBE_CONTEXT'],
  [/^(?:kubectx|kubens|kubectl-ctx|kubectl-ns|oc project|kubie ctx) (\w\S*)/, 'KUBE_CONTEXT'],
  [/^gcloud config (?:set (?:core\/)?project|configurations activate) (\S+)/, 'CLOUDSDK_CORE_PROJECT'],
  [/^(?:terraform|tofu|terragrunt) workspace (?:select|new) (?:-\S+ )*(\S+)/, 'TF_WORKSPACE'],
  [
    /^(?:firebase|eb|railway environment|pulumi stack select|amplify env checkout|heroku git:remote -a) (?:use )?(\S+)/,
    'STAGE',
  ],
];

/** What a command chooses for the later commands of its line, as assignments of variables. */
export function chosenSystems(name: string, args: readonly string[]): string[] {
  if (name === 'export') return args.filter((arg) => VARIABLE.test(arg));
  const words = [name, ...args].join(' ').slice(0, 300);
  return CHOOSING.flatMap(([command, variable]) => {
    const found = command.exec(words)?.[1];
    return found === undefined ? [] : [`${variable}=${found}`];
  });
}
