import type { ModelRoute } from '../contracts/index.ts';
import type { ChosenCommand } from './choose-command.ts';
import type { Endpoint } from './endpoint.ts';

/** Makes the client of a model that is behind a program. Nothing is started yet. */
export async function openCommandRoute(endpoint: Endpoint, command: ChosenCommand): Promise<ModelRoute> {
  // Loaded here, because hardly anyone's model is a program.
  const [{ createAcpModelClient }, { childEnvironment }] = await Promise.all([
    import('../llm/acp/index.ts'),
    import('../environments/index.ts'),
  ]);
  const { provider, model, baseUrl, contextLength, stallTimeoutMs } = endpoint;
  const client = createAcpModelClient({
    baseUrl,
    // The provider's own name stands for whichever model the program uses by itself.
    model: model === provider ? undefined : model,
    command: command.program,
    args: command.arguments,
    // Like any other command it gets no keys; only what is its own is put back.
    env: { ...childEnvironment(process.env), ...command.variables },
    hints: command.hints,
    stallTimeoutMs,
  });
  const listModels = async () => client.models();
  return { provider, model, baseUrl, apiMode: 'acp', contextLength, client, listModels };
}
