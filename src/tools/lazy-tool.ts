import type { ToolDefinition } from '../contracts/index.ts';
import type { Tool, ToolTraits } from './tool.ts';

/** What the manifest of the built-in tools says of one: all that is needed before it is called. */
export type ToolEntry = ToolTraits &
  Pick<Tool, 'concurrency'> & {
    definition(): ToolDefinition;
    /** It has a check of its own, for which its module has to be loaded. */
    checked?: true;
    load(): Promise<Tool>;
  };

/** A tool whose module is loaded when it is first called, or has to be asked whether it can be. */
export function createLazyTool({ definition, checked, load, ...traits }: ToolEntry): Tool {
  let loading: Promise<Tool> | undefined;
  let made: ToolDefinition | undefined;
  // Kept, because asking for a module again takes as long as running a small tool. One that failed is tried again.
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
