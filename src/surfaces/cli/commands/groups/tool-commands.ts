import { MEMORY_TARGETS, type MemoryTarget } from '../../../../contracts/index.ts';
import type { AddOptions } from '../../mcp/add.ts';
import type { ServeOptions } from '../../mcp/serve.ts';
import type { InspectOptions } from '../../skills/inspect.ts';
import type { InstallOptions } from '../../skills/install.ts';
import type { SearchOptions } from '../../skills/search.ts';
import type { TrustOptions } from '../../skills/trust.ts';
import { InvalidValue } from '../cli-command.ts';
import {
  type CommandCall,
  type CommandRow,
  type Confirmed,
  type Json,
  JSON_FOR_ALL_OPTION,
  JSON_OPTION,
  YES_OPTION,
} from '../command-row.ts';
import { collect, parseNames } from '../option-values.ts';

const GROUP = 'Tools and permissions:';

const listTools = async ({ options, io }: CommandCall<Json>) =>
  (await import('../../tools/tools.ts')).listTools(options, io);

/** The commands for tools, skills, MCP servers and memory. None of them needs a model. */
export const TOOL_COMMANDS: readonly CommandRow[] = [
  {
    name: 'tools',
    onlyReads: true,
    group: GROUP,
    about: 'list, enable and disable tools',
    summary: 'list, enable and disable tools',
    options: [JSON_FOR_ALL_OPTION],
    notes: 'NAME is a tool set, which includes all of its tools, or a single tool.',
    examples: ['hermes tools list', 'hermes tools disable terminal', 'hermes tools info patch'],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        about: 'list tool sets and tools, with the reason if one is unavailable',
        options: [JSON_OPTION],
        examples: ['hermes tools list'],
        run: listTools,
      },
      {
        name: 'info',
        onlyReads: true,
        about: 'show the details of a tool, or the tools of a tool set',
        arguments: [{ form: '<name>', about: 'a tool or a tool set' }],
        options: [JSON_OPTION],
        examples: ['hermes tools info patch'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../tools/tools.ts')).showTool(name, options, io),
      },
      {
        name: 'enable',
        about: 'enable tools in config.yaml',
        arguments: [{ form: '<names...>', about: 'tools and tool sets' }],
        options: [JSON_OPTION],
        examples: ['hermes tools enable terminal'],
        run: async ({ values: [names], options, io }: CommandCall<Json, [string[]]>) =>
          (await import('../../tools/tools.ts')).changeTools('enable', names, options, io),
      },
      {
        name: 'disable',
        about: 'disable tools in config.yaml',
        arguments: [{ form: '<names...>', about: 'tools and tool sets' }],
        options: [JSON_OPTION],
        examples: ['hermes tools disable terminal'],
        run: async ({ values: [names], options, io }: CommandCall<Json, [string[]]>) =>
          (await import('../../tools/tools.ts')).changeTools('disable', names, options, io),
      },
    ],
    run: listTools,
  },
  {
    name: 'skills',
    group: GROUP,
    about: 'list, install, check and remove skills',
    options: [JSON_FOR_ALL_OPTION],
    notes: 'A skill is a folder with a SKILL.md. In a chat, /NAME runs one.',
    examples: [
      'hermes skills list',
      'hermes skills search pdf forms',
      'hermes skills inspect npm:some-skill',
      'hermes skills install ./my-skill',
      'hermes skills install https://example.com/skills.git#v2 --path writing/letters',
      'hermes skills install npm:some-skill@1.2.0',
      'hermes skills audit',
    ],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        about: 'list all skills, with the reason if one is unavailable',
        options: [JSON_OPTION],
        examples: ['hermes skills list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../skills/list.ts')).listSkills(options, io),
      },
      {
        name: 'search',
        onlyReads: true,
        about: 'search installed skills and skills that can be installed',
        arguments: [{ form: '<words...>', about: 'search words' }],
        options: [
          { form: '--here', about: 'search only installed skills, without network access', onlyReads: true },
          {
            form: '--hub',
            about: 'search only skills that can be installed: npm, and skills.indexes of the configuration',
            onlyReads: true,
          },
          JSON_OPTION,
        ],
        examples: ['hermes skills search code review', 'hermes skills search --here review'],
        run: async ({ values: [words], options, io, signal }: CommandCall<SearchOptions, [string[]]>) =>
          (await import('../../skills/search.ts')).searchSkills(words, options, io, signal),
      },
      {
        name: 'inspect',
        onlyReads: true,
        about: 'show a skill: its text, files and scan results. Also works for a folder or an install source',
        arguments: [{ form: '<skill>', about: 'a skill name, a folder, or an install source' }],
        options: [
          { form: '--path <folder>', about: 'folder of the skill inside the source', onlyReads: true },
          JSON_OPTION,
        ],
        examples: ['hermes skills inspect code-review', 'hermes skills inspect ./my-skill'],
        run: async ({ values: [name], options, io, signal }: CommandCall<InspectOptions, [string]>) =>
          (await import('../../skills/inspect.ts')).inspectSkillCommand(name, options, io, signal),
      },
      {
        name: 'audit',
        onlyReads: true,
        about: 'scan installed skills again and show what changed since they were installed',
        arguments: [{ form: '[names...]', about: 'only these skills (default: all)' }],
        options: [JSON_OPTION],
        examples: ['hermes skills audit'],
        run: async ({ values: [names], options, io }: CommandCall<Json, [string[]]>) =>
          (await import('../../skills/inspect.ts')).auditInstalled(names, options, io),
      },
      {
        name: 'install',
        about: 'install a skill from a folder, a Git URL (#branch, #tag, #commit) or npm:NAME[@VERSION]',
        arguments: [{ form: '<source>', about: 'a folder, a URL, github:OWNER/NAME or npm:NAME' }],
        options: [
          { form: '--path <folder>', about: 'folder of the skill inside the source' },
          { form: '--category <name>', about: 'category to install it into' },
          { form: '--yes', about: 'do not ask for confirmation, even if the scan says caution' },
          { form: '--force', about: 'install even if the scan says dangerous' },
          JSON_OPTION,
        ],
        examples: [
          'hermes skills install ./my-skill',
          'hermes skills install https://example.com/skills.git#v2 --path writing/letters',
          'hermes skills install npm:some-skill@1.2.0',
        ],
        run: async ({ values: [source], options, io, signal }: CommandCall<InstallOptions, [string]>) =>
          (await import('../../skills/install.ts')).installSkill(source, options, io, signal),
      },
      {
        name: 'remove',
        about: 'remove a skill (moves it to the trash in the home directory)',
        arguments: [{ form: '<name>', about: 'an installed skill' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes skills remove my-skill'],
        run: async ({ values: [name], options, io }: CommandCall<Confirmed, [string]>) =>
          (await import('../../skills/install.ts')).removeInstalled(name, options, io),
      },
      {
        name: 'trust',
        about: 'trust a project, so that the skills in its .hermes/skills and .agents/skills are used',
        arguments: [{ form: '[folder]', about: 'project folder (default: the current one)' }],
        options: [{ form: '--remove', about: 'stop trusting the project' }, YES_OPTION, JSON_OPTION],
        examples: ['hermes skills trust', 'hermes skills trust ~/project --remove'],
        run: async ({ values: [folder], options, io }: CommandCall<TrustOptions, [string | undefined]>) =>
          (await import('../../skills/trust.ts')).trustProject(folder, options, io),
      },
    ],
  },
  {
    name: 'mcp',
    group: GROUP,
    about: 'manage MCP servers, which provide more tools, and be one for other programs',
    summary: 'manage MCP servers, and be one',
    notes: 'An MCP server is a local program or a URL. Its tools are named mcp__SERVER__TOOL.',
    examples: [
      'hermes mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
      'hermes mcp add tracker --url https://mcp.example.com/mcp --auth oauth',
      "hermes mcp add data --url https://data.example.com/mcp --header 'Authorization=Bearer ${DATA_TOKEN}'",
      'hermes mcp login tracker',
      'hermes mcp test files --json',
    ],
    commands: [
      {
        name: 'add',
        about: 'add a server and test the connection',
        arguments: [
          { form: '<name>', about: 'a name for the server' },
          { form: '[command...]', about: 'the program and its arguments, after --' },
        ],
        options: [
          { form: '--url <url>', about: 'URL of the server, instead of a program' },
          { form: '--transport <kind>', about: 'transport of the URL (default: detect)', choices: ['http', 'sse'] },
          {
            form: '--env <name=value>',
            about: 'environment variable for the program; may be repeated',
            parse: collect,
          },
          { form: '--header <name=value>', about: 'HTTP header for the URL; may be repeated', parse: collect },
          { form: '--auth <kind>', about: 'how to log in', choices: ['oauth', 'none'] },
          {
            form: '--include <names>',
            about: 'use only these tools (comma-separated; * matches anything)',
            parse: parseNames,
          },
          { form: '--exclude <names>', about: 'do not use these tools', parse: parseNames },
          {
            form: '--trust <level>',
            about: 'full: no approval needed; untrusted: ask before every tool that is not read-only',
            choices: ['full', 'untrusted'],
          },
          { form: '--force', about: 'replace an existing server of the same name' },
          { form: '--no-test', about: 'do not test the connection' },
          JSON_OPTION,
        ],
        examples: [
          'hermes mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
          'hermes mcp add tracker --url https://mcp.example.com/mcp --auth oauth',
        ],
        run: async ({ values: [name, command], options, io, signal }: CommandCall<AddOptions, [string, string[]]>) =>
          (await import('../../mcp/add.ts')).addServer(name, command, options, io, signal),
      },
      {
        name: 'list',
        onlyReads: true,
        about: 'list all servers with their last known tools',
        options: [JSON_OPTION],
        examples: ['hermes mcp list', 'hermes mcp list --json'],
        run: async ({ options, io }: CommandCall<Json>) => (await import('../../mcp/servers.ts')).listMcp(options, io),
      },
      {
        name: 'test',
        about: 'connect to a server and list its tools',
        arguments: [{ form: '<server>', about: 'name of the server' }],
        options: [JSON_OPTION],
        examples: ['hermes mcp test files'],
        run: async ({ values: [name], options, io, signal }: CommandCall<Json, [string]>) =>
          (await import('../../mcp/servers.ts')).testMcp(name, options, io, signal),
      },
      {
        name: 'remove',
        about: 'remove a server and its login',
        arguments: [{ form: '<server>', about: 'name of the server' }],
        options: [JSON_OPTION],
        examples: ['hermes mcp remove files'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../mcp/servers.ts')).removeServer(name, options, io),
      },
      {
        name: 'login',
        about: 'log in to a server in the browser',
        arguments: [{ form: '<server>', about: 'name of the server' }],
        examples: ['hermes mcp login tracker'],
        run: async ({ values: [name], io, signal }: CommandCall<object, [string]>) =>
          (await import('../../mcp/servers.ts')).loginToServer(name, io, signal),
      },
      {
        name: 'serve',
        about: 'be an MCP server: other programs give Hermes tasks, read its chats and search its sessions',
        options: [
          {
            form: '--http [port]',
            about: 'serve clients over HTTP instead of stdin and stdout (default port: 8765)',
            parse: parsePort,
          },
          { form: '--host <address>', about: 'with --http: the address to listen on (default: 127.0.0.1)' },
          { form: '-v, --verbose', about: 'write debug messages to the log' },
        ],
        notes:
          'Over stdin and stdout, it serves the program that starts it. Over HTTP, every request needs an API key: the first start creates one, and `hermes api key add` creates more. Any address but 127.0.0.1 requires a key that you have set.',
        examples: ['hermes mcp serve', 'hermes mcp serve --http', 'hermes mcp serve --http 9000'],
        run: async ({ options, run }: CommandCall<ServeOptions>) =>
          (await import('../../mcp/serve.ts')).serveMcp(options, run),
      },
    ],
  },
  {
    name: 'memory',
    group: GROUP,
    about: 'show and edit what is remembered across sessions',
    options: [{ form: '--json', about: 'print JSON, for show and status', onlyReads: true }],
    notes: `"memory" is the agent's notes (MEMORY.md), "user" is what it knows about you (USER.md). A session uses them as they
were when it started.`,
    examples: ['hermes memory show', 'hermes memory edit user', 'hermes memory status --json'],
    commands: [
      {
        name: 'show',
        onlyReads: true,
        about: 'show the memory entries',
        arguments: [{ form: '[target]', about: 'show only this one', choices: MEMORY_TARGETS }],
        options: [JSON_OPTION],
        examples: ['hermes memory show user'],
        run: async ({ values: [target], options, io }: CommandCall<Json, [MemoryTarget | undefined]>) =>
          (await import('../../memory/show.ts')).showMemory(target, options, io),
      },
      {
        name: 'edit',
        about: 'open the memory in your editor ($VISUAL or $EDITOR)',
        arguments: [{ form: '[target]', about: 'which one to edit', choices: MEMORY_TARGETS, default: 'memory' }],
        examples: ['hermes memory edit user'],
        run: async ({ values: [target], io, signal }: CommandCall<object, [MemoryTarget]>) =>
          (await import('../../memory/edit.ts')).editMemory(target, io, signal),
      },
      {
        name: 'status',
        onlyReads: true,
        about: 'show sizes, limits, the memory provider and any problems',
        options: [JSON_OPTION],
        examples: ['hermes memory status'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../memory/show.ts')).showMemoryStatus(options, io),
      },
    ],
  },
];

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidValue('a port from 0 to 65535');
}
