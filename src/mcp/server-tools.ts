import type { JsonObject, JsonValue } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import type { Interaction, ToolDefinition } from '../contracts/index.ts';
import type { ServerList } from './list-tools.ts';
import { type KeepFile, renderPrompt, renderResource, renderResult } from './render-result.ts';
import { nameTools, toolsetOf } from './tool-names.ts';

/** What a call comes with: who makes it, who can be asked, and where bytes can be kept. */
export type McpCall = {
  signal: AbortSignal;
  sessionId: string;
  taskId: string;
  interaction: Interaction;
  progress(text: string): void;
  keepFile: KeepFile;
};

/** `isError`: the tool did its part and the answer is no. */
export type McpAnswer = { text: string; isError: boolean };

/** A tool of a server, as the agent can have it. */
export type McpTool = {
  definition: ToolDefinition;
  server: string;
  toolset: string;
  /** Its own word; what is not trusted with that has none. */
  readOnly: boolean;
  /** The person wants to be asked before it is used. */
  asks: boolean;
  parallel: boolean;
  call(args: JsonObject, context: McpCall): Promise<McpAnswer>;
};

/** One request to the server, on a connection that is there or is made for it. */
export type AskServer = (
  request: { method: string; params: JsonObject; repeatable: boolean },
  context: McpCall,
) => Promise<JsonValue>;

type Trust = Pick<McpServerSettings, 'trust' | 'parallel' | 'label'>;

/** The tools of a server, and those by which its resources and prompts are reached. */
export function createServerTools(server: string, list: ServerList, trust: Trust, ask: AskServer): McpTool[] {
  const extra = [...(list.resources ? resourceTools(ask) : []), ...(list.prompts ? promptTools(ask) : [])];
  // A tool of the server that has the name of one of these comes first.
  const own = new Set(list.tools.map(({ original }) => original));
  const added = extra.filter(({ name }) => !own.has(name));
  const names = nameTools(trust.label, [...own, ...added.map(({ name }) => name)]);
  const toolset = toolsetOf(trust.label);
  return [
    ...list.tools.map(
      ({ original, description, parameters, readOnly, destructive }): McpTool => ({
        definition: { name: names.get(original) ?? original, description, parameters },
        server,
        toolset,
        readOnly: readOnly && trust.trust !== 'untrusted',
        asks: trust.trust === 'untrusted' ? !readOnly : trust.trust !== 'full' && destructive,
        parallel: readOnly || trust.parallel,
        async call(args, context) {
          const params = { name: original, arguments: args };
          return renderResult(
            await ask({ method: 'tools/call', params, repeatable: readOnly }, context),
            context.keepFile,
          );
        },
      }),
    ),
    ...added.map(
      ({ name, description, parameters, run }): McpTool => ({
        definition: { name: names.get(name) ?? name, description: `${description} (${server})`, parameters },
        server,
        toolset,
        readOnly: true,
        asks: false,
        parallel: true,
        call: async (args, context) => ({ text: await run(args, context), isError: false }),
      }),
    ),
  ];
}

type ExtraTool = ToolDefinition & { run(args: JsonObject, context: McpCall): Promise<string> };

const TEXT = { type: 'string' } as const;
const CURSOR = { type: 'object', properties: { cursor: { ...TEXT, description: 'from the list before' } } };

function resourceTools(ask: AskServer): ExtraTool[] {
  return [
    {
      name: 'list_resources',
      description: 'What can be read with read_resource.',
      parameters: CURSOR,
      run: async (args, context) => JSON.stringify(await reading(ask, 'resources/list', args, context)),
    },
    {
      name: 'read_resource',
      description: 'Read a resource by its URI.',
      parameters: { type: 'object', properties: { uri: TEXT }, required: ['uri'] },
      run: async ({ uri = '' }, context) =>
        renderResource(await reading(ask, 'resources/read', { uri }, context), context.keepFile),
    },
  ];
}

function promptTools(ask: AskServer): ExtraTool[] {
  return [
    {
      name: 'list_prompts',
      description: 'Prepared prompts, for get_prompt.',
      parameters: CURSOR,
      run: async (args, context) => JSON.stringify(await reading(ask, 'prompts/list', args, context)),
    },
    {
      name: 'get_prompt',
      description: 'A prepared prompt, filled in.',
      parameters: {
        type: 'object',
        properties: { name: TEXT, arguments: { type: 'object', description: 'texts by name' } },
        required: ['name'],
      },
      run: async ({ name = '', arguments: given = {} }, context) =>
        renderPrompt(await reading(ask, 'prompts/get', { name, arguments: given }, context), context.keepFile),
    },
  ];
}

function reading(ask: AskServer, method: string, params: JsonObject, context: McpCall): Promise<JsonValue> {
  return ask({ method, params, repeatable: true }, context);
}
