import type { JsonObject } from '../base/index.ts';
import type { Concurrency, JsonSchema, Logger, PluginTool, ToolContext } from '../contracts/index.ts';
import { approveCall } from './approve-call.ts';
import { fillDefaults } from './fill-defaults.ts';
import { removeUnknownTypes } from './known-types.ts';
import { findFaults } from './schema-match.ts';
import { ToolDenied } from './tool-stop.ts';
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

/** Creates a tool that a plugin or an embedding program registered. It runs only with the approval that it needs. */
export function createRegisteredTool(given: PluginTool, defaults: { toolset: string; needsApproval?: boolean }): Tool {
  const { name, description, parameters, toolset = defaults.toolset, emoji, readOnly = false, onDemand } = given;
  // The results are untrusted text, unless the author says otherwise.
  const { outsideText = true } = given;
  const { needsApproval = false } = defaults;
  const tool = createSchemaTool({
    name,
    description,
    parameters,
    toolset,
    readOnly,
    outsideText,
    ...(emoji !== undefined && { emoji }),
    ...(onDemand !== undefined && { onDemand }),
    concurrency: { mode: readOnly ? 'parallel' : 'barrier' },
    async run(args, context) {
      if (!readOnly && context.approvals.planMode)
        throw new ToolDenied('Plan mode: only read-only tools run. Put this step into your plan instead.');
      await approveCall({ name, reads: readOnly, asks: needsApproval }, `${name} ${JSON.stringify(args)}`, context);
      return given.run(args, context);
    },
  });
  return given.isAvailable === undefined ? tool : { ...tool, isAvailable: async () => given.isAvailable?.() ?? true };
}

function once(say: (logger: Logger) => void): (logger: Logger) => void {
  let said = false;
  return (logger) => {
    if (!said) say(logger);
    said = true;
  };
}
