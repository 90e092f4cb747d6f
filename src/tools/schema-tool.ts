import type { JsonObject } from '../base/index.ts';
import type { Concurrency, JsonSchema, ToolContext } from '../contracts/index.ts';
import { findFaults } from './schema-match.ts';
import type { Tool, ToolAnswer, ToolTraits } from './tool.ts';

export type SchemaToolSpecification = ToolTraits & {
  description: string;
  parameters: JsonSchema;
  concurrency: Concurrency;
  run(args: JsonObject, context: ToolContext): Promise<ToolAnswer>;
};

/** A tool whose parameters are known as JSON Schema alone, as those of servers are. */
export function createSchemaTool(specification: SchemaToolSpecification): Tool {
  const { description, parameters, concurrency, run, ...traits } = specification;
  return {
    ...traits,
    concurrency: concurrency.mode,
    definition: async () => ({ name: traits.name, description, parameters }),
    load: async () => ({
      parse(args) {
        const faults = findFaults(args, parameters);
        return faults.length === 0 ? { args } : { faults };
      },
      concurrencyOf: () => concurrency,
      repeatKeyOf: () => undefined,
      run,
    }),
  };
}
