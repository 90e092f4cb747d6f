import type * as z from 'zod/mini';
import type { JsonObject } from '../base/index.ts';
import type { AgentToolState, Concurrency, ToolContext, ToolDefinition } from '../contracts/index.ts';
import type { ParameterSchema } from './json-schema.ts';
import { ToolFailure } from './tool-stop.ts';
import type { Tool, ToolAnswer, ToolHandler, ToolTraits } from './tool.ts';

export type ToolSpecification<Schema extends ParameterSchema> = ToolTraits &
  Pick<Tool, 'isAvailable'> & {
    /**
     * What the tool does, and when not to use it. `{{NAME: …}}`, here and in parameter descriptions, is omitted if the
     * tool or feature NAME is not available. A parameter is omitted if that is its whole description.
     */
    description: string;
    parameters: Schema;
    /** How a call may run in parallel with others. Paths are as the model gave them; the tool set resolves links. */
    concurrency: Concurrency | ((args: z.output<Schema>) => Concurrency);
    /** Identifies a repeated call; all arguments by default. */
    repeatKey?(args: z.output<Schema>): string;
    run(args: z.output<Schema>, context: ToolContext): Promise<ToolAnswer>;
  };

/** Defines a tool. Its types, its validation and the schema for models all come from `parameters`. */
export function defineTool<Schema extends ParameterSchema>(specification: ToolSpecification<Schema>): Tool {
  const { concurrency, repeatKey: _, run: __, parameters, description, ...rest } = specification;
  const handler = createHandler(specification);
  let definition: Promise<ToolDefinition> | undefined;
  return {
    ...rest,
    concurrency: typeof concurrency === 'function' ? 'by arguments' : concurrency.mode,
    definition: () => (definition ??= describe(rest.name, description, parameters)),
    load: async () => handler,
  };
}

/** Loads the schema generator on demand: the schemas of built-in tools are generated at build time. */
async function describe(name: string, description: string, parameters: ParameterSchema): Promise<ToolDefinition> {
  const { leanJsonSchema } = await import('./json-schema.ts');
  return { name, description, parameters: leanJsonSchema(parameters) };
}

function createHandler<Schema extends ParameterSchema>(specification: ToolSpecification<Schema>): ToolHandler {
  type Args = z.output<Schema>;
  const { concurrency, repeatKey, run, parameters } = specification;
  return {
    parse(args) {
      const parsed = parameters.safeParse(args);
      const unknown = Object.keys(args).filter((name) => !Object.hasOwn(parameters.shape, name));
      if (parsed.success && unknown.length === 0) return { args: parsed.data as JsonObject };
      const issues = parsed.error?.issues ?? [];
      return {
        faults: [
          ...unknown.map((name) => ({ path: [name], isUnknown: true })),
          ...issues.map((issue) => ({ path: issue.path, limit: limitOf(issue) })),
        ],
      };
    },
    concurrencyOf: (args) => (typeof concurrency === 'function' ? concurrency(args as Args) : concurrency),
    repeatKeyOf: (args) => repeatKey?.(args as Args),
    run: (args, context) => run(args as Args, context),
  };
}

/** The violated limit, if `leanJsonSchema` omits it. */
function limitOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  const { origin } = issue;
  if (origin !== 'string' && origin !== 'array') return undefined;
  if (issue.code === 'too_small' && Number(issue.minimum) === 1) return 'that is not empty';
  const bound = issue.code === 'too_small' ? `least ${issue.minimum}` : `most ${issue.maximum}`;
  return `of at ${bound} ${origin === 'string' ? 'characters' : 'items'}`;
}

/** The agent's state, or a failure if the tool was called without an agent. */
export function requireAgent(context: ToolContext, toolName: string): AgentToolState {
  if (context.agent) return context.agent;
  throw new ToolFailure(`${toolName} needs the state of an agent and was called without one.`);
}

/** A built-in tool in the manifest: everything needed before its first call. */
export type ToolEntry = ToolTraits &
  Pick<Tool, 'concurrency'> & {
    definition(): ToolDefinition;
    /** The tool has an `isAvailable` check, so its module must be loaded before it is offered. */
    checked?: true;
    load(): Promise<Tool>;
  };

/** A tool whose module is loaded on its first call or availability check. */
export function createLazyTool({ definition, checked, load, ...traits }: ToolEntry): Tool {
  let loading: Promise<Tool> | undefined;
  let made: ToolDefinition | undefined;
  // Cached, because importing a module again takes as long as a small tool. A failed import is retried.
  const loaded = () =>
    (loading ??= load().catch((thrown: unknown) => {
      loading = undefined;
      throw thrown;
    }));
  return {
    ...traits,
    definition: async () => (made ??= definition()),
    load: async () => (await loaded()).load(),
    ...(checked && { isAvailable: async (needs) => (await loaded()).isAvailable?.(needs) ?? true }),
  };
}
