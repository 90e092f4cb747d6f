import { ModelError } from '../../base/index.ts';
import * as network from '../../util/network/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';

/** The proxy for a request, with wrong settings as a `ModelError`. */
export function proxyFor(...args: Parameters<typeof network.proxyFor>): network.Proxy | undefined {
  try {
    return network.proxyFor(...args);
  } catch (error) {
    throw asModelError(error);
  }
}

/** The trusted certificate authorities, with wrong settings as a `ModelError`. */
export async function trustedAuthorities(...args: Parameters<typeof network.trustedAuthorities>) {
  try {
    return await network.trustedAuthorities(...args);
  } catch (error) {
    throw asModelError(error);
  }
}

function asModelError(error: unknown): unknown {
  if (!(error instanceof network.NetworkSettingError)) return error;
  const { code, message, hint = '' } = error;
  return new ModelError(classifyFailure({ codes: [code], message }), { hint });
}
