import { basename } from 'node:path';
import type { Command, SyntaxNode } from 'unbash';

type Parser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

/** Wrappers in front of the program that counts. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'sudo',
  'env',
  'command',
  'exec',
  'time',
  'npx',
  'bunx',
  'nice',
  'uv',
  'poetry',
  'pipenv',
]);
const DETACHING: ReadonlySet<string> = new Set(['nohup', 'setsid', 'disown']);

/** Commands that run until somebody stops them, as their words begin. */
const LONG_LIVED: readonly RegExp[] = [
  /^(?:npm|pnpm|yarn|bun)(?: run)? (?:dev|start|serve|watch|preview)(?::\S+)?(?: |$)/,
  /^(?:vite|next|nuxt|astro|remix|gatsby|parcel)(?: (?:dev|start|develop|serve|preview|watch)(?: |$)|$)/,
  /^(?:ng|hugo|jekyll|mkdocs|bundle exec jekyll|zola|vue-cli-service) (?:serve|server)(?: |$)/,
  /^(?:nodemon|live-server|http-server|json-server|browser-sync|webpack-dev-server|ts-node-dev)(?: |$)/,
  /^(?:webpack|tsc|rollup|esbuild|jest|vitest|sass|tailwindcss) (?:.* )?--watch(?: |$)/,
  /^webpack serve(?: |$)/,
  /^(?:run )?(?:uvicorn|gunicorn|hypercorn|daphne|waitress-serve|celery -A \S+ worker)(?: |$)/,
  /^(?:run )?(?:flask|fastapi|django-admin) (?:run|dev|runserver)(?: |$)/,
  /^(?:run )?python[\d.]* (?:-\w+ )*-m (?:http\.server|uvicorn|flask run|gunicorn)(?: |$)/,
  /^(?:run )?python[\d.]* \S*manage\.py runserver(?: |$)/,
  /^(?:rails|bin\/rails) (?:s|server)(?: |$)/,
  /^php (?:-\w+ )*-S /,
  /^php artisan serve(?: |$)/,
  /^(?:docker compose|docker-compose) (?:.* )?up(?!.* (?:-d|--detach|--wait)(?: |$))/,
  /^(?:docker|podman|kubectl) (?:.* )?logs (?:.* )?(?:-f|--follow)(?: |$)/,
  /^(?:tail|journalctl) (?:.* )?(?:-\w*[fF]|--follow\S*)(?: |$)/,
  /^(?:redis-server|mongod|caddy run|jupyter (?:lab|notebook)|ngrok \S+|watch)(?: |$)(?!.*--daemonize yes)/,
  /^(?:cargo watch|air|entr|watchexec)(?: |$)/,
  /^kubectl (?:.* )?port-forward(?: |$)/,
];

/** Not worth parsing: nothing in it could detach or stay. */
const HARMLESS =
  /^(?![^]*(?:&|nohup|setsid|disown|dev|start|serve|watch|run|preview|server|up\b|-\w*[fF]\b|follow|unicorn|mongod|jupyter|ngrok|caddy|air|entr|nuxt|next|vite|astro|parcel|gatsby|remix|mon|corn|worker|forward|daphne|waitress|sync|-S ))/;

const ADVICE = 'Nothing was run. Call terminal again with background: true; then process shows its output and ends it.';

/** Why a command does not belong into the foreground, with the way out; undefined where it does. */
export async function adviseBackground(command: string): Promise<string | undefined> {
  if (HARMLESS.test(command)) return undefined;
  const parser = await import('unbash');
  const script = parser.parse(command);
  // What cannot be read is the approvals' to ask about.
  if (script.errors !== undefined && script.errors.length > 0) return undefined;
  const found = findDetaching(parser, script) ?? findLongLived(parser, script);
  return found === undefined ? undefined : `${found} ${ADVICE}`;
}

function findDetaching(parser: Parser, script: SyntaxNode): string | undefined {
  if (endsInBackground(script)) return 'The command ends with &, so nobody would see what becomes of it.';
  const names = commandsIn(parser, script).map((command) => wordsOf(command));
  const found = names.find(([name = '', ...args]) => DETACHING.has(name) && !waits(name, args));
  return found === undefined ? undefined : `${found[0]} takes the command out of sight.`;
}

const waits = (name: string, args: readonly string[]) =>
  name === 'setsid' && args.some((arg) => arg === '--wait' || /^-[a-z]*w/.test(arg));

/** `a & b` waits for b and is fine; what counts is the last. */
function endsInBackground(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Script':
    case 'CompoundList': {
      const last = node.commands.at(-1);
      return last !== undefined && endsInBackground(last);
    }
    case 'Statement':
      return node.background === true || endsInBackground(node.command);
    case 'Subshell':
    case 'BraceGroup':
      return endsInBackground(node.body);
    default:
      return false;
  }
}

function findLongLived(parser: Parser, script: SyntaxNode): string | undefined {
  for (const command of commandsIn(parser, script, isWaitedFor)) {
    const words = wordsOf(command);
    while (WRAPPERS.has(words[0] ?? '') && words.length > 1) words.shift();
    const text = words.join(' ');
    if (/ (?:--help|--version|-h|-V)(?: |$)/.test(`${text} `)) continue;
    if (LONG_LIVED.some((pattern) => pattern.test(text))) return `${text.slice(0, 80)} runs until it is stopped.`;
  }
  return undefined;
}

/** Not what runs beside others in the same command, and not what is ended by its reader. */
function isWaitedFor(node: SyntaxNode): boolean {
  if (node.type === 'Statement') return node.background !== true;
  if (node.type !== 'Pipeline') return true;
  return !node.commands.some((part) => part.type === 'Command' && ['head', 'grep'].includes(wordsOf(part)[0] ?? ''));
}

function commandsIn(parser: Parser, node: SyntaxNode, enter: (node: SyntaxNode) => boolean = () => true): Command[] {
  const found: Command[] = [];
  const visit = (child: SyntaxNode): void => {
    if (!enter(child)) return;
    if (child.type === 'Command') found.push(child);
    // A function only runs where it is called.
    if (child.type !== 'Function') parser.forEachChild(child, visit);
  };
  visit(node);
  return found;
}

function wordsOf({ name, args }: Command): string[] {
  if (name === undefined) return [];
  const rest = args.flatMap((word) => (word.type === 'Assignment' ? [word.text] : [word.value]));
  return [basename(name.value), ...rest];
}
