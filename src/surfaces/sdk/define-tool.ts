import { ConfigurationError, errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { JsonSchema, PluginTool } from '../../contracts/index.ts';
import { createRegisteredTool, type Tool } from '../../tools/index.ts';

/**
 * A schema of zod 4.2 or later, or of any other library that follows Standard Schema with JSON Schema. Hermes itself
 * does not load the library.
 */
export interface ObjectSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly jsonSchema: { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export type SchemaIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** What a tool of an embedding program gets besides its arguments. */
export type ToolRunContext = {
  readonly sessionId: string;
  readonly callId: string;
  /** Aborted when the turn is interrupted. */
  readonly signal: AbortSignal;
};

/** Text, or a value that the model reads as JSON. */
export type ToolResult = string | JsonObject | JsonValue[];

export type ToolOptions<Args> = {
  /** At most 64 letters, digits, `_` and `-`. */
  name: string;
  /** What the tool does and when to use it. The model reads this. */
  description: string;
  /** The tool changes nothing: calls run in parallel, and also in plan mode. */
  readOnly?: boolean;
  /** Each call is passed to `onApproval` first. */
  needsApproval?: boolean;
  /** The results contain text from outside, such as web pages, and are marked as untrusted for the model. */
  outsideText?: boolean;
  /** Runs the tool. If it throws, the model reads the message of the error. */
  run(args: Args, context: ToolRunContext): ToolResult | Promise<ToolResult>;
};

/** A tool that `createHermes` accepts. Made with `defineTool`. */
export class HermesTool {
  readonly name: string;
  readonly #tool: Tool;

  constructor(tool: Tool) {
    this.name = tool.name;
    this.#tool = tool;
  }

  /** Hidden from programs, so that they depend on nothing of ours. */
  static toTool(tool: HermesTool): Tool {
    return tool.#tool;
  }
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The tool set of all tools of the embedding program. */
export const OWN_TOOLSET = 'plugin-program';

/** Defines a tool. The arguments of `run` have the type of the schema; with a JSON Schema, they are a JSON object. */
export function defineTool<Output extends object>(
  tool: ToolOptions<Output> & { parameters: ObjectSchema<Output> },
): HermesTool;
export function defineTool(tool: ToolOptions<JsonObject> & { parameters: JsonSchema }): HermesTool;
export function defineTool(tool: ToolOptions<never> & { parameters: ObjectSchema<object> | JsonSchema }): HermesTool {
  checkTool(tool);
  const { name, description, parameters, readOnly, needsApproval, outsideText = false } = tool;
  const run = tool.run as (args: object, context: ToolRunContext) => ToolResult | Promise<ToolResult>;
  const schema = toJsonSchema(parameters, `The tool "${name}"`);
  // Providers refuse a whole request with a tool that takes anything else.
  if (schema['type'] !== 'object')
    throw new ConfigurationError(`defineTool: \`parameters\` of the tool "${name}" must describe an object.`, {
      hint: SCHEMA_HINT,
    });
  const registered: PluginTool = {
    name,
    description,
    parameters: schema,
    outsideText,
    ...(readOnly !== undefined && { readOnly }),
    async run(args, { sessionId, callId, signal }) {
      const parsed = isObjectSchema(parameters) ? await parseArguments(parameters, args) : args;
      return run(parsed, { sessionId, callId, signal });
    },
  };
  return new HermesTool(
    createRegisteredTool(registered, { toolset: OWN_TOOLSET, needsApproval: needsApproval ?? false }),
  );
}

export function isObjectSchema(schema: unknown): schema is ObjectSchema<object> {
  const standard = (schema as Partial<ObjectSchema<object>> | null)?.['~standard'];
  return typeof standard?.validate === 'function' && typeof standard.jsonSchema?.input === 'function';
}

/** The JSON Schema that models receive. */
export function toJsonSchema(schema: ObjectSchema<unknown> | JsonSchema, subject: string): JsonSchema {
  if (!isObjectSchema(schema)) {
    if (isJsonObject(schema) && !('~standard' in schema)) return schema;
    throw new ConfigurationError(`${subject} has an unusable schema.`, { hint: SCHEMA_HINT });
  }
  try {
    const { $schema: _, ...converted } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    return converted as JsonSchema;
  } catch (thrown) {
    const message = `${subject} has a schema that cannot be converted to JSON Schema: ${errorMessage(thrown)}`;
    throw new ConfigurationError(message, { hint: SCHEMA_HINT });
  }
}

const SCHEMA_HINT =
  'Pass a schema of zod 4.2 or later, or a JSON Schema such as {"type": "object", "properties": {…}}.';

/** Parses a value with the schema of the program, including what JSON Schema cannot express. */
export async function parseWith<Output>(
  schema: ObjectSchema<Output>,
  value: JsonValue,
): Promise<{ value: Output } | { problem: string }> {
  const result = await schema['~standard'].validate(value);
  return result.issues === undefined
    ? { value: result.value }
    : { problem: result.issues.map(describeIssue).join('; ') };
}

async function parseArguments(schema: ObjectSchema<object>, args: JsonObject): Promise<object> {
  const parsed = await parseWith(schema, args);
  if ('problem' in parsed) throw new Error(`invalid arguments: ${parsed.problem}`);
  return parsed.value;
}

function describeIssue({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
}

const KEYS = ['name', 'description', 'parameters', 'readOnly', 'needsApproval', 'outsideText', 'run'];

function checkTool(tool: ToolOptions<never>): void {
  const problem = findToolProblem(tool);
  if (problem !== undefined) throw new ConfigurationError(`defineTool: ${problem}.`);
}

function findToolProblem(tool: ToolOptions<never>): string | undefined {
  if (typeof tool !== 'object' || tool === null) return 'it expects an object';
  const unknown = Object.keys(tool).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `"${unknown}" is not an option; the options are ${KEYS.join(', ')}`;
  if (typeof tool.name !== 'string' || !NAME.test(tool.name)) return '`name` must be 1 to 64 letters, digits, _ and -';
  if (typeof tool.description !== 'string' || tool.description.trim() === '')
    return `the tool "${tool.name}" needs a \`description\`, by which models decide when to use it`;
  if (typeof tool.run !== 'function') return `the tool "${tool.name}" needs a function \`run\``;
  const flag = (['readOnly', 'needsApproval', 'outsideText'] as const).find(
    (key) => tool[key] !== undefined && typeof tool[key] !== 'boolean',
  );
  return flag && `\`${flag}\` of the tool "${tool.name}" must be true or false`;
}
