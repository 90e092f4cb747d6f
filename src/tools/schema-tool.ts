import type { JsonObject } from '../base/index.ts';
import type { Concurrency, JsonSchema, Logger, ToolContext } from '../contracts/index.ts';
import { fillDefaults } from './fill-defaults.ts';
import { removeUnknownTypes } from './known-types.ts';
import { findFaults } from './schema-match.ts';
import type { Tool, ToolAnswer, ToolTraits } from './tool.ts';

export type SchemaToolSpecification = ToolTraits & {
  description: string;
  parameters: JsonSchema;
  concurrency: Concurrency;
  run(args: JsonObject, context: ToolContext): Promise<ToolAnswer>;
};

/** Creates a tool whose parameters are given as JSON Schema, like those of MCP servers. */
export function createSchemaTool(specification: SchemaToolSpecification): Tool {
  const { description, parameters: given, concurrency, run, ...traits } = specification;
  // Providers reject a whole request because of one unknown type, and no argument could match it.
  const { schema: parameters, unknown } = removeUnknownTypes(given);
  const sayUnknown = once((logger) =>
    logger.warn('the schema of a tool contains unknown types, which are ignored', {
      tool: traits.name,
      unknown,
    }),
  );
  return {
    ...traits,
    concurrency: concurrency.mode,
    definition: async () => ({ name: traits.name, description, parameters }),
    load: async () => ({
      parse(received) {
        const args = fillDefaults(received, parameters);
        const faults = findFaults(args, parameters);
        return faults.length === 0 ? { args } : { faults: faults.map((path) => ({ path })) };
      },
      concurrencyOf: () => concurrency,
      repeatKeyOf: () => undefined,
      async run(args, context) {
        if (unknown.length > 0) sayUnknown(context.logger);
        return run(args, context);
      },
    }),
  };
}

function once(say: (logger: Logger) => void): (logger: Logger) => void {
  let said = false;
  return (logger) => {
    if (!said) say(logger);
    said = true;
  };
}
