import { type AttachedFile, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import type { Interaction, ToolDefinition } from '../contracts/index.ts';
import { cleanSurrogates, detectFileType, takeStart } from '../util/index.ts';
import type { ServerCapabilities } from './list-tools.ts';
import { nameTools, toolsetOf } from './tool-names.ts';

/** Maximum length of a result; further content is ignored, because a model reads far less. */
const MAX_RESULT_LENGTH = 2_000_000;
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'application/pdf': 'pdf',
  'application/gzip': 'gz',
};

/** The context of a call: session and task, the user to ask, and where binary content is saved. */
export type McpCall = {
  signal: AbortSignal;
  sessionId: string;
  taskId: string;
  interaction: Interaction;
  progress(text: string): void;
  saveFile: SaveFile;
};

/** `isError`: the tool itself reported an error. */
export type McpToolResult = RenderedContent & { isError: boolean };
/** Content for a model: a text, and the images that a model can view. */
type RenderedContent = { text: string; images: AttachedFile[] };

/** A tool of a server in the form that the agent uses. */
export type McpTool = {
  definition: ToolDefinition;
  server: string;
  toolset: string;
  /** Claimed by the server; always false for an untrusted server. */
  readOnly: boolean;
  /** The user must approve each call. */
  needsApproval: boolean;
  parallel: boolean;
  call(args: JsonObject, context: McpCall): Promise<McpToolResult>;
};

/**
 * `repeatable`: the request is read-only, so it can be sent again if its outcome is unknown. `asTask`: the server
 * starts a task for it and provides the result later.
 */
export type ServerRequest = { method: string; params: JsonObject; repeatable: boolean; asTask?: boolean };

/** Sends one request to the server and connects first if necessary. */
export type SendServerRequest = (request: ServerRequest, context: McpCall) => Promise<JsonValue>;

type Trust = Pick<McpServerSettings, 'trust' | 'parallel' | 'label'>;

/** The tools of a server, and tools for reading its resources and prompts. */
export function createServerTools(
  server: string,
  list: ServerCapabilities,
  trust: Trust,
  ask: SendServerRequest,
): McpTool[] {
  const extra = [...(list.resources ? resourceTools(ask) : []), ...(list.prompts ? promptTools(ask) : [])];
  // A tool of the server takes precedence over one of these with the same name.
  const own = new Set(list.tools.map(({ original }) => original));
  const added = extra.filter(({ name }) => !own.has(name));
  const names = nameTools(trust.label, [...own, ...added.map(({ name }) => name)]);
  const toolset = toolsetOf(trust.label);
  return [
    ...list.tools.map(
      ({ original, description, parameters, readOnly, destructive, asTask = false }): McpTool => ({
        definition: { name: names.get(original) ?? original, description, parameters },
        server,
        toolset,
        readOnly: readOnly && trust.trust !== 'untrusted',
        needsApproval: trust.trust === 'untrusted' ? !readOnly : trust.trust !== 'full' && destructive,
        parallel: readOnly || trust.parallel,
        async call(args, context) {
          const params = { name: original, arguments: args };
          return renderResult(
            await ask({ method: 'tools/call', params, repeatable: readOnly, asTask }, context),
            context.saveFile,
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
        needsApproval: false,
        parallel: true,
        call: async (args, context) => ({ ...(await run(args, context)), isError: false }),
      }),
    ),
  ];
}

type ExtraTool = ToolDefinition & { run(args: JsonObject, context: McpCall): Promise<RenderedContent> };

const TEXT = { type: 'string' } as const;
const CURSOR = {
  type: 'object',
  properties: { cursor: { ...TEXT, description: 'The nextCursor of the previous page.' } },
};

function resourceTools(ask: SendServerRequest): ExtraTool[] {
  return [
    {
      name: 'list_resources',
      description: 'List the resources that read_resource can read.',
      parameters: CURSOR,
      run: async (args, context) => renderList(await sendReadRequest(ask, 'resources/list', args, context)),
    },
    {
      name: 'read_resource',
      description: 'Read a resource by its URI. list_resources returns the URIs.',
      parameters: { type: 'object', properties: { uri: TEXT }, required: ['uri'] },
      run: async ({ uri = '' }, context) =>
        renderResource(await sendReadRequest(ask, 'resources/read', { uri }, context), context.saveFile),
    },
  ];
}

function promptTools(ask: SendServerRequest): ExtraTool[] {
  return [
    {
      name: 'list_prompts',
      description: 'List the prompt templates that get_prompt can fill in.',
      parameters: CURSOR,
      run: async (args, context) => renderList(await sendReadRequest(ask, 'prompts/list', args, context)),
    },
    {
      name: 'get_prompt',
      description: 'Get a prompt template with its arguments filled in.',
      parameters: {
        type: 'object',
        properties: { name: TEXT, arguments: { type: 'object', description: 'Argument values (strings) by name.' } },
        required: ['name'],
      },
      run: async ({ name = '', arguments: given = {} }, context) =>
        renderPrompt(await sendReadRequest(ask, 'prompts/get', { name, arguments: given }, context), context.saveFile),
    },
  ];
}

function sendReadRequest(
  ask: SendServerRequest,
  method: string,
  params: JsonObject,
  context: McpCall,
): Promise<JsonValue> {
  return ask({ method, params, repeatable: true }, context);
}

/** Saves bytes with the session and returns the path; undefined if nothing is saved. */
type SaveFile = (bytes: Uint8Array, extension: string) => Promise<string | undefined>;

/** Where the binary content of a result goes: into a file, and images also to the model. */
type Output = { saveFile: SaveFile; images: AttachedFile[] };

function renderList(result: JsonValue): RenderedContent {
  return { text: JSON.stringify(result), images: [] };
}

/** Renders a tool result for a model: text as it is, everything else described and saved to a file. */
export async function renderResult(result: JsonValue, saveFile: SaveFile): Promise<McpToolResult> {
  if (!isJsonObject(result)) return { text: truncateResult(JSON.stringify(result) ?? ''), images: [], isError: false };
  const output: Output = { saveFile, images: [] };
  const { content, structuredContent } = result;
  const blocks = Array.isArray(content) ? content : [];
  const parts = await Promise.all(blocks.map((block) => renderBlock(block, output)));
  const hasText = blocks.some((block) => isJsonObject(block) && block['type'] === 'text');
  // Servers repeat structured content as text for clients that do not support it.
  if (structuredContent !== undefined && !hasText) parts.push(JSON.stringify(structuredContent));
  const text = parts.filter((part) => part !== '').join('\n');
  return {
    text: truncateResult(text === '' ? 'The result is empty.' : text),
    images: output.images,
    isError: result['isError'] === true,
  };
}

/** The contents of a resource. */
export async function renderResource(result: JsonValue, saveFile: SaveFile): Promise<RenderedContent> {
  const output: Output = { saveFile, images: [] };
  const contents = isJsonObject(result) && Array.isArray(result['contents']) ? result['contents'] : [];
  const parts = await Promise.all(contents.map((content) => renderContents(content, output)));
  return { text: truncateResult(parts.join('\n') || 'The resource is empty.'), images: output.images };
}

/** The messages of a prompt. */
export async function renderPrompt(result: JsonValue, saveFile: SaveFile): Promise<RenderedContent> {
  const output: Output = { saveFile, images: [] };
  const messages = isJsonObject(result) && Array.isArray(result['messages']) ? result['messages'] : [];
  const parts = await Promise.all(
    messages.filter(isJsonObject).map(async ({ role, content }) => {
      return `${role === 'assistant' ? 'assistant' : 'user'}: ${await renderBlock(content ?? '', output)}`;
    }),
  );
  return { text: truncateResult(parts.join('\n\n') || 'The prompt is empty.'), images: output.images };
}

async function renderBlock(block: JsonValue, output: Output): Promise<string> {
  if (!isJsonObject(block)) return typeof block === 'string' ? block : '';
  const { type, text, data, mimeType } = block;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (type === 'image' || type === 'audio') return describeBinary(type, data, mimeType, output);
  if (type === 'resource') return renderContents(block['resource'] ?? '', output);
  if (type === 'resource_link') return describeLink(block);
  return JSON.stringify(block);
}

function describeLink({ uri, name, description }: JsonObject): string {
  const words = [name, description].flatMap((part) => (typeof part === 'string' && part !== '' ? [part] : []));
  const about = words.join(': ');
  return `[resource ${nameOf(uri)}${about === '' ? '' : ` (${about})`}]`;
}

async function renderContents(contents: JsonValue, output: Output): Promise<string> {
  if (!isJsonObject(contents)) return '';
  const { uri, text, blob, mimeType } = contents;
  if (typeof text === 'string') return `[resource ${nameOf(uri)}]\n${text}`;
  return describeBinary(`resource ${nameOf(uri)},`, blob, mimeType, output);
}

/** `[image image/png, 1234 bytes, saved to /…/x.png]`: other tools can read the saved file. */
async function describeBinary(
  what: string,
  data: JsonValue | undefined,
  mimeType: JsonValue | undefined,
  output: Output,
): Promise<string> {
  const kind = typeof mimeType === 'string' ? mimeType.slice(0, 100) : 'of unknown type';
  if (typeof data !== 'string') return `[${what} ${kind}, no content]`;
  const bytes = Buffer.from(data, 'base64');
  addImage(bytes, output.images);
  const file = await output.saveFile(bytes, EXTENSIONS[kind] ?? 'bin');
  return `[${what} ${kind}, ${bytes.length} bytes${file === undefined ? '' : `, saved to ${file}`}]`;
}

/** Adds the bytes if they are an image that models can view, whatever type the server states. */
function addImage(bytes: Uint8Array, images: AttachedFile[]): void {
  const type = detectFileType(bytes);
  if (type?.kind !== 'image') return;
  const name = `image-${images.length + 1}.${EXTENSIONS[type.mediaType] ?? 'bin'}`;
  images.push({ ...type, name, bytes });
}

function nameOf(uri: JsonValue | undefined): string {
  return typeof uri === 'string' ? uri : 'without a URI';
}

function truncateResult(text: string): string {
  const clean = cleanSurrogates(text);
  if (clean.length <= MAX_RESULT_LENGTH) return clean;
  return `${takeStart(clean, MAX_RESULT_LENGTH)}\n[… ${clean.length - MAX_RESULT_LENGTH} characters omitted …]`;
}
