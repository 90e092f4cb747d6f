import { basename } from 'node:path';
import type { Command, SyntaxNode } from 'unbash';

type Parser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

/** Commands that run the program given as their argument. */
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

/** Commands that do not exit by themselves, matched at the start of the command line. */
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

/** Fast path: commands without any of these words are not parsed. */
const NEEDS_NO_PARSING =
  /^(?![^]*(?:&|nohup|setsid|disown|dev|start|serve|watch|run|preview|server|up\b|-\w*[fF]\b|follow|unicorn|mongod|jupyter|ngrok|caddy|air|entr|nuxt|next|vite|astro|parcel|gatsby|remix|mon|corn|worker|forward|daphne|waitress|sync|-S ))/;

const ADVICE =
  'Nothing was run. Run it with background: true. Read its output, and kill it when you no longer need it, with the process tool.';

/** Why a command must not run in the foreground, with advice; undefined if it may. */
export async function adviseBackground(command: string): Promise<string | undefined> {
  if (NEEDS_NO_PARSING.test(command)) return undefined;
  const parser = await import('unbash');
  const script = parser.parse(command);
  // Unparsable commands are left to the approval guard.
  if (script.errors !== undefined && script.errors.length > 0) return undefined;
  const found = findDetaching(parser, script) ?? findLongLived(parser, script);
  return found === undefined ? undefined : `${found} ${ADVICE}`;
}

function findDetaching(parser: Parser, script: SyntaxNode): string | undefined {
  if (endsInBackground(script)) return 'The command ends with &, so its output and exit code would be lost.';
  const names = commandsIn(parser, script).map((command) => wordsOf(command));
  const found = names.find(([name = '', ...args]) => DETACHING.has(name) && !waits(name, args));
  return found === undefined
    ? undefined
    : `${found[0]} detaches the command, so its output and exit code would be lost.`;
}

const waits = (name: string, args: readonly string[]) =>
  name === 'setsid' && args.some((arg) => arg === '--wait' || /^-[a-z]*w/.test(arg));

/** Whether the last command runs in the background. `a & b` waits for b and is allowed. */
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
    if (LONG_LIVED.some((pattern) => pattern.test(text)))
      return `${text.slice(0, 80)} usually does not exit on its own.`;
  }
  return undefined;
}

/** Whether the shell waits for this node. `a &` is not waited for, and `a | head` ends with its reader. */
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
    // The body of a function runs only when it is called.
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
