const words = (text: string) => text.split(' ');

/** The options of a program: those that take the next word as their value, and flags. */
type ProgramOptions = { values: ReadonlySet<string>; flags: ReadonlySet<string> };

const row = (values: string, flags: string): ProgramOptions => ({
  values: new Set(words(values)),
  flags: new Set([...words(flags), ...words('-h --help --version -V')]),
});

const KUBERNETES = row(
  '-n -s -c -f -k -l -o -L -p --namespace --context --kubeconfig --cluster --user --server --token --as --as-group --cache-dir --certificate-authority --client-certificate --client-key --request-timeout --tls-server-name -v --v --profile --container --selector --field-selector --output --filename --sort-by --template --tail --since --since-time --label-columns --kustomize --limit-bytes --chunk-size --api-group --verbs',
  '-A -w -R --all-namespaces --insecure-skip-tls-verify --match-server-version --warnings-as-errors --show-labels --no-headers --watch --ignore-not-found --recursive --previous --follow --timestamps --all-containers --prefix --containers --namespaced --client --show-managed-fields',
);
const CONTAINERS = row(
  '-H -c -l -f -p -n --host --context --config --log-level --tlscacert --tlscert --tlskey --file --project-name --project-directory --profile --env-file --ansi --progress --parallel --url --connection --root --namespace --address --filter --format --since --until --tail --type',
  '-D -a -q -s -t --debug --tls --tlsverify --remote --all --quiet --no-trunc --size --no-stream --details --timestamps --follow --latest --digests --verbose --compatibility --all-resources',
);
const TERRAFORM = row('-target -out -var -var-file -state -lock-timeout', '-json -raw -no-color -compact-warnings');

const FLY = row('-a -c -t -o -r --app --config --access-token --org --region', '-j --json --verbose --debug');

/** The known options of programs with subcommands. */
const PROGRAMS: Readonly<Record<string, ProgramOptions>> = {
  npm: row(
    '-C -w --prefix --registry --loglevel --userconfig --globalconfig --cache --workspace --omit --include --depth --script-shell --tag --access --otp --scope --audit-level --searchlimit',
    '-g -s -d -q -l -p --global --silent --json --long --parseable --all --workspaces -ws --production --offline --prefer-offline --no-audit --no-fund --include-workspace-root --quiet --verbose',
  ),
  pnpm: row(
    '-C -F --dir --filter --registry --loglevel --reporter --prefix',
    '-r -g -w -s --recursive --silent --workspace-root',
  ),
  yarn: row('--cwd --registry --cache-folder --modules-folder', '-s --silent --verbose --json --offline'),
  kubectl: KUBERNETES,
  oc: KUBERNETES,
  helm: row(
    '-n -f -o --namespace --kube-context --kubeconfig --kube-token --kube-apiserver --kube-as-user --burst-limit --registry-config --repository-config --values --set --output --version',
    '--debug --all --all-namespaces -A',
  ),
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  'docker-compose': CONTAINERS,
  'podman-compose': CONTAINERS,
  gh: row('-R --repo --hostname --json --jq --template -q -t -L -S --limit --search --state --label --author', '--web'),
  glab: row('-R --repo', ''),
  cargo: row(
    '-Z -C --config --color --manifest-path --explain --target --features --package -p --depth --prefix --format --format-version --edges -e',
    '-q -v -vv -i --quiet --verbose --locked --offline --frozen --list --no-deps --duplicates --all-features --workspace --invert',
  ),
  go: row('-C -mod -tags -f', '-m -json -u -v -e -deps -test -find -export -versions -all -src'),
  pip: row(
    '--python --log --proxy --timeout --retries --cache-dir --cert --trusted-host --format --path --exclude -r -f -i --index-url',
    '-q -v -l -f --quiet --verbose --isolated --outdated -o --user --local --not-required --disable-pip-version-check --no-cache-dir --all --files',
  ),
  systemctl: row(
    '-H -M -t -p -n -o --host --machine --type --state --property --lines --output --root --job-mode -s --signal --kill-whom --what',
    '-l -a -q -f -r --user --system --global --no-pager --full --all --quiet --failed --plain --no-legend --force --now --runtime --value --no-block --no-ask-password --reverse --recursive -i',
  ),
  terraform: TERRAFORM,
  tofu: TERRAFORM,
  terragrunt: TERRAFORM,
  pulumi: row('-C -s --cwd --stack --color --logtostderr', '-y --yes --non-interactive'),
  aws: row(
    '--profile --region --output --endpoint-url --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout',
    '--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager',
  ),
  gcloud: row(
    '--project --account --configuration --format --verbosity --billing-project --impersonate-service-account --region --zone',
    '-q --quiet --no-user-output-enabled --log-http',
  ),
  az: row('-o -g -n --output --query --subscription --resource-group --name', '--verbose --debug --only-show-errors'),
  vault: row('-address -namespace -ca-cert -field -format -mount', ''),
  heroku: row('-a -r -n -d -p --app --remote --num --dyno', '--tail -t --json'),
  fly: FLY,
  flyctl: FLY,
  vercel: row(
    '-S -t -A -Q --scope --token --local-config --global-config --cwd --team',
    '-d -y -f --debug --yes --prod',
  ),
  netlify: row('--auth --filter -s --site --dir -d', '--json --debug --silent --prod'),
  wrangler: row('-c -e --config --env --cwd --name --port', '--experimental-json-config --local --remote'),
  supabase: row('--workdir --profile --network-id --project-ref -o --output', '--debug --experimental --yes'),
  firebase: row('-P -j --project --account --token --config', '--json --debug --non-interactive -i'),
  stripe: row('-p --api-key --project-name --log-level --color --config --device-name', '--live'),
  railway: row('-s -e -p --service --environment --project', '--json'),
  eas: row('-p -e --platform --profile --branch', '--non-interactive --json'),
};

/** Common options, for programs that are not in the table. */
const COMMON = row(
  '-n -p -H --namespace --context --kubeconfig --profile --region --project --cluster --subscription --endpoint-url --output --host --config --chdir --app --log-level --server --token --account --zone --org --repo',
  '-q -v -y --quiet --verbose --debug --yes --json --no-color',
);

export type ParsedSubcommand = {
  /** The leading words up to the first option that may take a value: the subcommand. */
  verbs: string[];
  /** All words that are neither options nor option values: `get` and `pods` in `kubectl -n x get pods`. */
  words: string[];
  /** An unknown option precedes the first word, so that word may be the value of that option. */
  ambiguous: boolean;
};

/** Separates the subcommand of a program and its operands from its options. */
export function parseSubcommand(name: string, args: readonly string[]): ParsedSubcommand {
  const options = Object.hasOwn(PROGRAMS, name) ? (PROGRAMS[name] ?? COMMON) : COMMON;
  const found: string[] = [];
  let verbs: string[] | undefined;
  let doubtful = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      found.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') found.push(arg);
    else if (options.values.has(arg)) at += 1;
    else if (found.length > 1) verbs ??= [...found];
    else if (found.length === 0 && !arg.includes('=') && !options.flags.has(arg)) doubtful ||= at + 1 < args.length;
  }
  return { verbs: (verbs ?? found).slice(0, 5), words: found, ambiguous: doubtful };
}
