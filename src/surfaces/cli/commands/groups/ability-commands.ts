import { MEMORY_TARGETS, type MemoryTarget } from '../../../../contracts/index.ts';
import type { AddOptions } from '../../mcp/add.ts';
import type { InspectOptions } from '../../skills/inspect.ts';
import type { InstallOptions } from '../../skills/install.ts';
import type { SearchOptions } from '../../skills/search.ts';
import type { TrustOptions } from '../../skills/trust.ts';
import {
  type CommandCall,
  type CommandRow,
  type Confirmed,
  type Json,
  JSON_FOR_ALL,
  JSON_OPTION,
  YES_OPTION,
} from '../command-row.ts';
import { collect, parseNames } from '../option-values.ts';

const GROUP = 'What it can do and may do:';

const listTools = async ({ options, io }: CommandCall<Json>) =>
  (await import('../../tools/tools.ts')).listTools(options, io);

/** The commands about what the agent can do: tools, skills, MCP servers, memory. None of them needs a model. */
export const ABILITY_COMMANDS: readonly CommandRow[] = [
  {
    name: 'tools',
    group: GROUP,
    about: 'see which tools there are, and switch them on and off',
    summary: 'see tools, and switch them on and off',
    options: [JSON_FOR_ALL],
    notes: 'A name is that of a tool set, which stands for all its tools, or of a single tool.',
    examples: ['hermes tools list', 'hermes tools disable terminal', 'hermes tools info patch'],
    commands: [
      {
        name: 'list',
        about: 'show tool sets and tools, and why one cannot be used',
        options: [JSON_OPTION],
        examples: ['hermes tools list'],
        run: listTools,
      },
      {
        name: 'info',
        about: 'show all about a tool, or the tools of a set',
        arguments: [{ form: '<name>', about: 'of a tool or a tool set' }],
        options: [JSON_OPTION],
        examples: ['hermes tools info patch'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../tools/tools.ts')).showTool(name, options, io),
      },
      {
        name: 'enable',
        about: 'switch tools on, in config.yaml',
        arguments: [{ form: '<names...>', about: 'of tools and tool sets' }],
        options: [JSON_OPTION],
        examples: ['hermes tools enable terminal'],
        run: async ({ values: [names], options, io }: CommandCall<Json, [string[]]>) =>
          (await import('../../tools/tools.ts')).changeTools('enable', names, options, io),
      },
      {
        name: 'disable',
        about: 'switch tools off, in config.yaml',
        arguments: [{ form: '<names...>', about: 'of tools and tool sets' }],
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
    about: 'see, install, check and remove skills',
    options: [JSON_FOR_ALL],
    notes: 'A skill is a folder with a SKILL.md. In a chat, /NAME works by one.',
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
        about: 'show all skills, and why one cannot be used',
        options: [JSON_OPTION],
        examples: ['hermes skills list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../skills/list.ts')).listSkills(options, io),
      },
      {
        name: 'search',
        about: 'find skills: those that are here, and those that can be installed',
        arguments: [{ form: '<words...>', about: 'what to look for' }],
        options: [
          { form: '--here', about: 'only those that are here; nobody is asked over the network' },
          { form: '--hub', about: 'only those that are not here: npm, and skills.indexes of the configuration' },
          JSON_OPTION,
        ],
        examples: ['hermes skills search code review', 'hermes skills search --here review'],
        run: async ({ values: [words], options, io, signal }: CommandCall<SearchOptions, [string[]]>) =>
          (await import('../../skills/search.ts')).searchSkills(words, options, io, signal),
      },
      {
        name: 'inspect',
        about: 'show a skill, a folder with one, or what install would fetch: text, files, and what a scan finds',
        arguments: [{ form: '<skill>', about: 'its name, a folder, or what install would fetch' }],
        options: [{ form: '--path <folder>', about: 'the folder of the skill inside of what is fetched' }, JSON_OPTION],
        examples: ['hermes skills inspect code-review', 'hermes skills inspect ./my-skill'],
        run: async ({ values: [name], options, io, signal }: CommandCall<InspectOptions, [string]>) =>
          (await import('../../skills/inspect.ts')).inspectSkill(name, options, io, signal),
      },
      {
        name: 'audit',
        about: 'scan installed skills again, and show what changed since they were installed',
        arguments: [{ form: '[names...]', about: 'only these; all without one' }],
        options: [JSON_OPTION],
        examples: ['hermes skills audit'],
        run: async ({ values: [names], options, io }: CommandCall<Json, [string[]]>) =>
          (await import('../../skills/inspect.ts')).auditInstalled(names, options, io),
      },
      {
        name: 'install',
        about: 'install a skill from a folder, a git address (#branch, #tag, #commit) or npm:NAME[@VERSION]',
        arguments: [{ form: '<source>', about: 'a folder, an address, github:OWNER/NAME or npm:NAME' }],
        options: [
          { form: '--path <folder>', about: 'the folder of the skill inside of the source' },
          { form: '--category <name>', about: 'the category to put it in' },
          { form: '--yes', about: 'do not ask, also where the scan says caution' },
          { form: '--force', about: 'also where the scan says that it is dangerous' },
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
        about: 'remove a skill; it is kept in the trash of the home',
        arguments: [{ form: '<name>', about: 'of an installed skill' }],
        options: [YES_OPTION, JSON_OPTION],
        examples: ['hermes skills remove my-skill'],
        run: async ({ values: [name], options, io }: CommandCall<Confirmed, [string]>) =>
          (await import('../../skills/install.ts')).removeInstalled(name, options, io),
      },
      {
        name: 'trust',
        about: 'use the skills of a project: those in its .hermes/skills and .agents/skills',
        arguments: [{ form: '[folder]', about: 'the project; by default the one here' }],
        options: [{ form: '--remove', about: 'stop using them' }, YES_OPTION, JSON_OPTION],
        examples: ['hermes skills trust', 'hermes skills trust ~/project --remove'],
        run: async ({ values: [folder], options, io }: CommandCall<TrustOptions, [string | undefined]>) =>
          (await import('../../skills/trust.ts')).trustProject(folder, options, io),
      },
    ],
  },
  {
    name: 'mcp',
    group: GROUP,
    about: 'use tools of other programs: MCP servers',
    notes:
      'A server brings tools of its own: a program of this machine, or an address. They are called mcp__SERVER__TOOL.',
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
        about: 'add a server, and connect to it once',
        arguments: [
          { form: '<name>', about: 'what to call it' },
          { form: '[command...]', about: 'the program and its arguments, behind --' },
        ],
        options: [
          { form: '--url <url>', about: 'the address, instead of a program' },
          { form: '--transport <kind>', about: 'http or sse; found out where nothing is said' },
          { form: '--env <name=value>', about: 'a variable for the program; again for more', parse: collect },
          { form: '--header <name=value>', about: 'a header for the address; again for more', parse: collect },
          { form: '--auth <kind>', about: 'oauth: one logs in there' },
          {
            form: '--include <names>',
            about: 'only these tools, with commas between them; * stands for anything',
            parse: parseNames,
          },
          { form: '--exclude <names>', about: 'not these tools', parse: parseNames },
          { form: '--trust <how>', about: 'full: nothing asks; untrusted: all that does not only read asks' },
          { form: '--force', about: 'also where there is one of this name' },
          { form: '--no-test', about: 'do not connect' },
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
        about: 'show all servers, and the tools that each had the last time',
        options: [JSON_OPTION],
        examples: ['hermes mcp list', 'hermes mcp list --json'],
        run: async ({ options, io }: CommandCall<Json>) => (await import('../../mcp/servers.ts')).listMcp(options, io),
      },
      {
        name: 'test',
        about: 'connect to a server, and show what it has',
        arguments: [{ form: '<server>', about: 'its name' }],
        options: [JSON_OPTION],
        examples: ['hermes mcp test files'],
        run: async ({ values: [name], options, io, signal }: CommandCall<Json, [string]>) =>
          (await import('../../mcp/servers.ts')).testMcp(name, options, io, signal),
      },
      {
        name: 'remove',
        about: 'take a server out, with its login',
        arguments: [{ form: '<server>', about: 'its name' }],
        options: [JSON_OPTION],
        examples: ['hermes mcp remove files'],
        run: async ({ values: [name], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../mcp/servers.ts')).removeServer(name, options, io),
      },
      {
        name: 'login',
        about: 'log in at a server that wants it, in the browser',
        arguments: [{ form: '<server>', about: 'its name' }],
        examples: ['hermes mcp login tracker'],
        run: async ({ values: [name], io, signal }: CommandCall<object, [string]>) =>
          (await import('../../mcp/servers.ts')).loginToServer(name, io, signal),
      },
    ],
  },
  {
    name: 'memory',
    group: GROUP,
    about: 'see and edit what is remembered across sessions',
    options: [{ form: '--json', about: 'answer with JSON, for show and status' }],
    notes: `"memory" are the notes of the agent (MEMORY.md), "user" is what it knows of you (USER.md). A session sees them as they
were when it began.`,
    examples: ['hermes memory show', 'hermes memory edit user', 'hermes memory status --json'],
    commands: [
      {
        name: 'show',
        about: 'show the entries',
        arguments: [{ form: '[which]', about: 'only this one', choices: MEMORY_TARGETS }],
        options: [JSON_OPTION],
        examples: ['hermes memory show user'],
        run: async ({ values: [target], options, io }: CommandCall<Json, [MemoryTarget | undefined]>) =>
          (await import('../../memory/show.ts')).showMemory(target, options, io),
      },
      {
        name: 'edit',
        about: 'open it in your editor ($VISUAL or $EDITOR)',
        arguments: [{ form: '[which]', about: 'only this one', choices: MEMORY_TARGETS, default: 'memory' }],
        examples: ['hermes memory edit user'],
        run: async ({ values: [target], io, signal }: CommandCall<object, [MemoryTarget]>) =>
          (await import('../../memory/edit.ts')).editMemory(target, io, signal),
      },
      {
        name: 'status',
        about: 'show sizes, limits, the provider, and what is wrong',
        options: [JSON_OPTION],
        examples: ['hermes memory status'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../memory/show.ts')).showMemoryStatus(options, io),
      },
    ],
  },
];
