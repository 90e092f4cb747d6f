/** How a program that runs another program takes its arguments. */
export type Wrapper = {
  /** Options that take the next word as their value. */
  values?: readonly string[];
  /** The number of the wrapper's own operands before the command. */
  operands?: number;
  /** The word after which the command begins; without this word there is no command. */
  after?: RegExp;
  /** A command that is a single word is a shell script. */
  script?: true;
  remote?: 'machine' | 'container';
  /** The options with a value may also follow the command: `heroku run env -a shop`. */
  optionsAnywhere?: true;
};

const words = (text: string) => text.split(' ');

const PARALLEL: Wrapper = {
  values: words('-h -H -l -p -t -o -e -O -x -X -g --hosts --host --user --par --timeout --outdir --errdir --option'),
  remote: 'machine',
};
const SALT: Wrapper = { after: /^cmd\.(?:run|shell|script|exec_code)\w*$/, remote: 'machine' };

/** Programs that run the rest of their arguments. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { values: words('-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir') },
  doas: { values: words('-u -C') },
  env: { values: words('-u -C -S --unset --chdir') },
  nohup: {},
  nice: { values: words('-n --adjustment') },
  ionice: { values: words('-c -n -p') },
  time: { values: words('-f -o') },
  timeout: { values: words('-s -k --signal --kill-after'), operands: 1 },
  gtimeout: { values: words('-s -k'), operands: 1 },
  command: {},
  builtin: {},
  exec: { values: ['-a'] },
  setsid: {},
  stdbuf: { values: words('-i -o -e') },
  unbuffer: {},
  chroot: { operands: 1 },
  xargs: {
    values: words('-I -n -P -L -d -a -E -s -R -J --max-args --max-procs --delimiter --arg-file --replace --max-lines'),
  },
  parallel: {
    values: words('-j -N -n -S -a --jobs --colsep --delay --timeout --joblog --results --arg-file'),
    script: true,
  },
  watch: { values: words('-n --interval'), script: true },
  entr: {},
  watchexec: { values: words('-e -w -i -f -d --exts --watch --ignore --filter'), script: true },
  hyperfine: { values: words('-w -r -m -M -N --warmup --runs --export-json'), script: true },
  busybox: {},
  toybox: {},
  strace: { values: words('-e -o -p -s -P') },
  ltrace: { values: words('-e -o -p -s') },
  valgrind: {},
  flock: { values: words('-w -E'), operands: 1 },
  pkexec: { values: words('-u --user') },
  runuser: { values: words('-u -g -G -s -w --user --group --supp-group --shell --whitelist-environment') },
  run0: { values: words('-u -g -D --user --group --chdir --unit --property --setenv') },
  'systemd-run': {
    values: [
      ...words('-u -p -M -H -E --unit --property --machine --host --setenv --slice --description --uid --gid --nice'),
      ...words('--working-directory --on-active --on-boot --on-calendar'),
    ],
  },
  'systemd-inhibit': {},
  unshare: { values: words('-R -w -S -G --root --wd --setuid --setgid --map-user --map-group') },
  nsenter: { values: words('-t -S -G --target --setuid --setgid') },
  setpriv: { values: words('--reuid --regid --groups --inh-caps --bounding-set --securebits') },
  taskset: { operands: 1 },
  numactl: {},
  chrt: { operands: 1 },
  prlimit: {},
  cgexec: { values: ['-g'] },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  fakeroot: { values: words('-l -s -i -b') },
  firejail: {},
  proot: { values: words('-r -b -w -q') },
  rlwrap: {},
  dumb_init: {},
  tini: {},
  chronic: {},
  retry: { values: words('-t -d -n') },
  faketime: { operands: 1 },
  torsocks: {},
  torify: {},
  proxychains: {},
  proxychains4: {},
  sshpass: { values: words('-p -f -d -P') },
  'cross-env': {},
  'dbus-run-session': {},
  'xvfb-run': { values: words('-n -s -f -e') },
  caffeinate: { values: words('-t -w') },
  gdb: { after: /^--args$/ },
  npx: { values: words('-p -c --package --call') },
  bunx: {},
  pnpx: {},
  uvx: { values: words('--from --with --python') },
  pipx: { after: /^run$/ },
  npm: { after: /^(?:exec|x)$/ },
  pnpm: { after: /^(?:exec|dlx)$/ },
  yarn: { after: /^(?:exec|dlx)$/ },
  bun: { after: /^x$/ },
  poetry: { after: /^run$/ },
  pipenv: { after: /^run$/ },
  uv: { after: /^run$/, values: words('--with --python --extra --group --project') },
  conda: { after: /^run$/, values: words('-n -p --name --prefix') },
  mamba: { after: /^run$/, values: words('-n -p') },
  bundle: { after: /^exec$/ },
  rbenv: { after: /^exec$/ },
  pyenv: { after: /^exec$/ },
  asdf: { after: /^exec$/ },
  mise: { after: /^(?:exec|x)$/ },
  direnv: { after: /^exec$/, operands: 1 },
  dotenv: { after: /^--$/ },
  'aws-vault': { after: /^exec$/, operands: 1 },
  op: { after: /^--$/ },
  doppler: { after: /^--$/ },
  tsocks: {},
  'start-stop-daemon': { after: /^(?:-a|--exec|-x|--startas)$/ },
  ssh: {
    values: words('-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w'),
    operands: 1,
    remote: 'machine',
    script: true,
  },
  dbclient: { values: words('-p -l -i -L -R -W -K -I -B -J -c -m'), operands: 1, remote: 'machine', script: true },
  autossh: { values: words('-M -p -l -i -o -L -R -D -F -J -S'), operands: 1, remote: 'machine', script: true },
  sshrc: { operands: 1, remote: 'machine', script: true },
  assh: { after: /^(?:wrapper|connect)$/, operands: 2, remote: 'machine', script: true },
  tailscale: { after: /^ssh$/, operands: 1, remote: 'machine', script: true },
  minikube: { after: /^(?:ssh|--)$/, values: words('-n -p --node --profile'), remote: 'machine', script: true },
  hcloud: { after: /^ssh$/, operands: 1, remote: 'machine', script: true },
  'docker-machine': { after: /^ssh$/, operands: 1, remote: 'machine', script: true },
  dokku: { after: /^(?:enter|run)$/, operands: 1, remote: 'container' },
  railway: { after: /^ssh$/, remote: 'machine' },
  nomad: { after: /^exec$/, values: words('-job -task -region -namespace'), operands: 1, remote: 'container' },
  incus: { after: /^exec$/, operands: 1, remote: 'container' },
  orb: { values: words('-m -u -w'), remote: 'machine' },
  'systemd-nspawn': {
    values: words('-D -M -u --directory --machine --user --bind --bind-ro --setenv'),
    remote: 'container',
  },
  'arch-chroot': { values: words('-u'), operands: 1 },
  toolbox: { after: /^run$/, values: words('-c -d -r --container --distro --release') },
  distrobox: { after: /^--$/ },
  wsl: { values: words('-d -u -e --distribution --user --cd --exec'), remote: 'machine' },
  heroku: {
    after: /^(?:run|run:\w+|ps:exec)$/,
    values: words('-a -r -s -e --app --remote --size --env'),
    remote: 'machine',
    optionsAnywhere: true,
  },
  limactl: { after: /^shell$/, operands: 1, remote: 'machine' },
  colima: { after: /^--$/, remote: 'machine' },
  mosh: { values: words('-p --ssh --predict'), operands: 1, remote: 'machine' },
  pdsh: { values: words('-w -l -f -g -x -R'), remote: 'machine', script: true },
  clush: { values: words('-w -g -x -X -l -f -t -u -o -s --nodes --group --user --fanout'), remote: 'machine' },
  pssh: PARALLEL,
  'parallel-ssh': PARALLEL,
  dsh: { values: words('-m -g -f -F -r -o -n --machine --group --file --remoteshell'), remote: 'machine' },
  mussh: { after: /^-c$/, remote: 'machine' },
  fab: { after: /^--$/, remote: 'machine' },
  salt: SALT,
  'salt-ssh': SALT,
  knife: { after: /^ssh$/, operands: 1, remote: 'machine' },
  vagrant: { after: /^--$/, remote: 'machine' },
  gcloud: { after: /^--$/, remote: 'machine' },
  tsh: { after: /^ssh$/, operands: 1, remote: 'machine' },
  juju: {
    after: /^(?:ssh|exec|run)$/,
    values: words('-m -u --unit --machine --application'),
    operands: 1,
    remote: 'machine',
  },
  adb: { after: /^shell$/, remote: 'machine', script: true },
  lxc: { after: /^exec$/, operands: 1, remote: 'container' },
  multipass: { after: /^exec$/, operands: 1, remote: 'container' },
  flyctl: { after: /^console$/, remote: 'container' },
  crictl: { after: /^exec$/, operands: 1, remote: 'container' },
};

/** Options of the container tools that take a value, for `run` and `exec`. */
export const CONTAINER_VALUES: readonly string[] = [
  ...words(
    '-v -e -w -u -p -h -l -m -c -a --volume --env --workdir --user --publish --hostname --name --network --mount',
  ),
  ...words(
    '--entrypoint --env-file --label --memory --cpus --platform --add-host --device --cap-add --cap-drop --tmpfs',
  ),
  ...words(
    '--security-opt --restart --log-driver --ulimit --gpus --ipc --pid --shm-size --index -n --namespace --container',
  ),
  ...words('--context --kubeconfig -f --file --project-name --profile --image --cluster --pull'),
];

export const CONTAINER_TOOLS: ReadonlySet<string> = new Set([
  ...words('docker podman nerdctl docker-compose kubectl oc k3s microk8s podman-compose'),
]);

export const SHELLS: ReadonlySet<string> = new Set(
  words('sh bash dash zsh ksh mksh ash fish rbash tcsh csh pwsh-sh yash'),
);
/** Programs that pass the argument of `-c` to a shell. */
export const SCRIPT_OPTION: ReadonlySet<string> = new Set(words('su runuser script sg newgrp nix-shell'));
