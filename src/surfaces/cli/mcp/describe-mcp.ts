import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseNames } from '../parse-names.ts';
import type { AddOptions } from './add.ts';

type Json = { json?: boolean };
type Found = (run: CommandRun) => void;

const EXAMPLES = `
A server brings tools of its own: a program of this machine, or an address. They are called mcp__SERVER__TOOL.

Examples:
  hermes mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  hermes mcp add tracker --url https://mcp.example.com/mcp --auth oauth
  hermes mcp add data --url https://data.example.com/mcp --header 'Authorization=Bearer \${DATA_TOKEN}'
  hermes mcp login tracker
  hermes mcp test files --json`;

/** The commands about MCP servers. None of them needs a model. */
export function describeMcp(program: Command, found: Found, inFull: boolean): void {
  const mcp = program.command('mcp').description('use tools of other programs: MCP servers');
  // Describing them costs a start that is about something else.
  if (!inFull) return;
  mcp.helpCommand(false).addHelpText('after', EXAMPLES);
  describeAdding(mcp, found);
  describeLooking(mcp, found);
  mcp
    .command('remove')
    .description('take a server out, with its login')
    .argument('<server>', 'its name')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes mcp remove files'))
    .action((name: string, options: Json) =>
      found(async (io) => (await import('./servers.ts')).removeServer(name, options, io)),
    );
  mcp
    .command('login')
    .description('log in at a server that wants it, in the browser')
    .argument('<server>', 'its name')
    .addHelpText('after', examples('hermes mcp login tracker'))
    .action((name: string) =>
      found(async (io, signal) => (await import('./servers.ts')).loginToServer(name, io, signal)),
    );
}

function describeAdding(mcp: Command, found: Found): void {
  const collect = (value: string, before: string[] = []) => [...before, value];
  mcp
    .command('add')
    .description('add a server, and connect to it once')
    .argument('<name>', 'what to call it')
    .argument('[command...]', 'the program and its arguments, behind --')
    .option('--url <url>', 'the address, instead of a program')
    .option('--transport <kind>', 'http or sse; found out where nothing is said')
    .option('--env <name=value>', 'a variable for the program; again for more', collect)
    .option('--header <name=value>', 'a header for the address; again for more', collect)
    .option('--auth <kind>', 'oauth: one logs in there')
    .option('--include <names>', 'only these tools, with commas between them; * stands for anything', parseNames)
    .option('--exclude <names>', 'not these tools', parseNames)
    .option('--trust <how>', 'full: nothing asks; untrusted: all that does not only read asks')
    .option('--force', 'also where there is one of this name')
    .option('--no-test', 'do not connect')
    .option('--json', 'answer with JSON')
    .addHelpText(
      'after',
      examples(
        'hermes mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
        'hermes mcp add tracker --url https://mcp.example.com/mcp --auth oauth',
      ),
    )
    .action((name: string, command: string[], options: AddOptions) =>
      found(async (io, signal) => (await import('./add.ts')).addServer(name, command, options, io, signal)),
    );
}

function describeLooking(mcp: Command, found: Found): void {
  mcp
    .command('list')
    .description('show all servers, and the tools that each had the last time')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes mcp list', 'hermes mcp list --json'))
    .action((options: Json) => found(async (io) => (await import('./servers.ts')).listMcp(options, io)));
  mcp
    .command('test')
    .description('connect to a server, and show what it has')
    .argument('<server>', 'its name')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes mcp test files'))
    .action((name: string, options: Json) =>
      found(async (io, signal) => (await import('./servers.ts')).testMcp(name, options, io, signal)),
    );
}
