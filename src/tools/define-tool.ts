import type * as z from 'zod/mini';
import type { JsonObject, JsonValue } from '../base/index.ts';
import type { AgentToolState, Concurrency, ToolContext, ToolDefinition } from '../contracts/index.ts';
import { leanJsonSchema, type ParameterSchema } from './json-schema.ts';
import { ToolFailure } from './tool-stop.ts';

/** What a tool answers: text as it is, or a value that the model reads as JSON. */
export type ToolAnswer = string | JsonObject | JsonValue[];

export type ToolSpecification<Schema extends ParameterSchema> = {
  name: string;
  toolset: string;
  /** What it is for, and when not to use it. */
  description: string;
  parameters: Schema;
  emoji?: string;
  /** How a call may run beside others. Paths are as the model gave them; the tool set follows links. */
  concurrency: Concurrency | ((args: z.output<Schema>) => Concurrency);
  /** Only reads: the same call again gives the same answer. */
  readOnly?: boolean;
  /** Talks to the person: a batch with it runs in sequence. */
  asksThePerson?: boolean;
  /** Costs no iteration when it is all a step did. */
  freeIteration?: boolean;
  /** What counts as the same call again; all arguments by default. */
  repeatKey?(args: z.output<Schema>): string;
  /** Whether what it needs is there. An exception means no. */
  isAvailable?(): boolean;
  run(args: z.output<Schema>, context: ToolContext): Promise<ToolAnswer>;
};

/** A tool whose parameter types are forgotten, so that all tools fit one list. Arguments are checked before they get here. */
export type Tool = Omit<ToolSpecification<ParameterSchema>, 'concurrency' | 'repeatKey' | 'run'> & {
  definition(): ToolDefinition;
  concurrencyOf(args: JsonObject): Concurrency;
  repeatKeyOf(args: JsonObject): string | undefined;
  run(args: JsonObject, context: ToolContext): Promise<ToolAnswer>;
};

export function defineTool<Schema extends ParameterSchema>(specification: ToolSpecification<Schema>): Tool {
  type Args = z.output<Schema>;
  const { concurrency, repeatKey, run, ...rest } = specification;
  let definition: ToolDefinition | undefined;
  return {
    ...rest,
    definition: () => (definition ??= describe(specification)),
    concurrencyOf: (args) => (typeof concurrency === 'function' ? concurrency(args as Args) : concurrency),
    repeatKeyOf: (args) => repeatKey?.(args as Args),
    run: (args, context) => run(args as Args, context),
  };
}

function describe({ name, description, parameters }: ToolSpecification<ParameterSchema>): ToolDefinition {
  return { name, description, parameters: leanJsonSchema(parameters) };
}

/** The agent's state, for tools that cannot work without one. */
export function requireAgent(context: ToolContext, toolName: string): AgentToolState {
  if (context.agent) return context.agent;
  throw new ToolFailure(`${toolName} works on the state of an agent and was called without one.`);
}
