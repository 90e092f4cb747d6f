import { HermesError } from '../../base/index.ts';

/** A variable that configures the network has an unusable value. */
export class NetworkSettingError extends HermesError {
  readonly code: 'PROXY_ADDRESS' | 'CA_FILE';

  constructor(code: NetworkSettingError['code'], message: string, hint: string) {
    super(message, { hint });
    this.code = code;
  }
}
