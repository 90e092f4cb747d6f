import { createApprovalGuard } from '../approvals/index.ts';
import { type Clock, type JsonObject, systemClock } from '../base/index.ts';
import {
  type ApprovalGuard,
  type Environment,
  type Hooks,
  type Logger,
  type ProcessTable,
  silentLogger,
  type ToolOutcome,
  type ToolSet,
} from '../contracts/index.ts';
import { createOnce } from '../util/index.ts';
import { createToolCatalog, type ToolCatalogOptions } from './tool-catalog.ts';

type ToolSetOptions = ToolCatalogOptions & {
  environment: Environment;
  hooks?: Iterable<Hooks>;
  logger?: Logger;
  /** Decides which operations need approval. By default every dangerous operation does. */
  approvals?: ApprovalGuard;
  clock?: Clock;
  /** Background processes; without it commands cannot run in the background. */
  processes?: ProcessTable;
  /** Folder of the spill files for truncated results. */
  spillFolder?: string;
  maxResultCharacters?: number;
  /** Context window in tokens for calls without an agent. Batches bring their own. */
  contextLength?: number;
};

/** A tool set that can also be used by code without an agent. */
interface StandaloneToolSet extends ToolSet {
  /** Runs one call without an agent. Tools that need the state of an agent return an error. */
  dispatchWithoutAgent(name: string, args: JsonObject, options?: { signal?: AbortSignal }): Promise<ToolOutcome>;
}

export function createToolSet(options: ToolSetOptions): StandaloneToolSet {
  const { environment, hooks = [], logger = silentLogger, clock = systemClock, services = {} } = options;
  const { approvals = createApprovalGuard(), processes, spillFolder, maxResultCharacters, contextLength } = options;
  const features = environment.sandbox === undefined ? [] : ['sandbox'];
  const stock = createToolCatalog({ ...options, features }, clock, logger);
  const runner = createOnce(async () => {
    const { createCallRunner } = await import('./call-runner.ts');
    const limits = { spillFolder, maxResultCharacters, contextLength };
    return createCallRunner({ stock, environment, hooks, logger, clock, approvals, services, processes, ...limits });
  });
  return {
    names: stock.names,
    definitions: stock.definitions,
    describe: stock.describe,
    offer: stock.offer,
    isOfferRestored: stock.isOfferRestored,
    renewOffer: stock.renewOffer,
    findNewTools: stock.findNewTools,
    prepare: stock.prepare,
    run: async (prepared, context) => (await runner()).run(prepared, context),
    async dispatchWithoutAgent(name, args, { signal = new AbortController().signal } = {}) {
      return (await runner()).dispatchWithoutAgent(name, args, signal);
    },
  };
}
